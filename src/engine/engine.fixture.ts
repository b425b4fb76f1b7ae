/** A real engine on real files: state, stores, records, all in one temporary folder. The test plays the harness. */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { findMarks } from '../core/mark.ts'
import { pathsFrom } from '../paths.ts'
import type { LoggedMoment } from '../state.ts'
import type { OpenedEngine } from './logbook.ts'
import { openEngine } from './open.ts'

interface ClaudeAnswer {
  hookSpecificOutput?: { additionalContext?: string; permissionDecision?: string; permissionDecisionReason?: string }
  systemMessage?: string
}

export interface Told {
  readonly status: number
  readonly text: string
  readonly decision: string | undefined
  readonly reason: string
  readonly delivery: string | null
}

export class Desk {
  readonly folder = mkdtempSync(join(tmpdir(), 'contextmd-engine-'))
  readonly project = join(this.folder, 'project')
  readonly session = '00000000-0000-4000-8000-000000000001'
  readonly records = join(this.folder, '.claude', 'projects', '-home-dev-project', `${this.session}.jsonl`)
  readonly env = {
    HOME: this.folder,
    XDG_CONFIG_HOME: join(this.folder, 'config'),
    XDG_DATA_HOME: join(this.folder, 'data'),
  }
  readonly paths = pathsFrom(this.env)
  readonly rules = join(this.paths.config, 'rules')
  /** Hand every reply over at once, as the server does when its bytes went out. */
  settles = true
  /** What failed and became an answer. */
  readonly errors: unknown[] = []
  now = () => Date.now()
  #engine: OpenedEngine | null = null
  #calls = 0
  #requests = 0

  constructor(entries: Readonly<Record<string, string>> = {}) {
    mkdirSync(this.project, { recursive: true })
    mkdirSync(dirname(this.records), { recursive: true })
    mkdirSync(this.rules, { recursive: true })
    for (const [name, text] of Object.entries(entries)) this.rule(name, text)
  }

  get engine(): OpenedEngine {
    this.#engine ??= openEngine({
      paths: this.paths,
      version: '0.0.0',
      now: () => this.now(),
      env: this.env,
      onError: (error) => this.errors.push(error),
    })
    return this.#engine
  }

  rule(name: string, text: string): string {
    const file = join(this.rules, `${name}.md`)
    writeFileSync(file, text)
    return file
  }

  async restart(): Promise<void> {
    await this.#engine?.close()
    this.#engine = null
  }

  async end(): Promise<void> {
    await this.#engine?.close()
    rmSync(this.folder, { recursive: true, force: true })
  }

  async tell(event: string, more: object = {}): Promise<Told> {
    const body = { session_id: this.session, transcript_path: this.records, cwd: this.project, hook_event_name: event, ...more }
    const told = await this.engine.moment({ harness: 'claude-code', event: body, delivery: null, off: false, arrived: performance.now() })
    if (!told.ok) throw new Error(told.why)
    if (told.delivery !== null && this.settles) this.engine.settle(told.delivery, 'handed')
    // the renderer's own answer
    const answer = told.answer.status === 200 ? (told.answer.body as ClaudeAnswer) : {}
    const output = answer.hookSpecificOutput ?? {}
    return {
      status: told.answer.status,
      text: output.additionalContext ?? '',
      decision: output.permissionDecision,
      reason: output.permissionDecisionReason ?? '',
      delivery: told.delivery,
    }
  }

  start(source = 'startup'): Promise<Told> {
    return this.tell('SessionStart', { source })
  }

  prompt(prompt = 'go on'): Promise<Told> {
    this.#calls += 1
    return this.tell('UserPromptSubmit', { prompt, prompt_id: `prompt-${this.#calls}` })
  }

  newCall(): string {
    this.#calls += 1
    return `toolu_${this.#calls}`
  }

  bash(command: string, call = this.newCall()): Promise<Told> {
    return this.tell('PreToolUse', { tool_name: 'Bash', tool_input: { command }, tool_use_id: call, prompt_id: 'p' })
  }

  bashDone(command: string, call: string, stdout = ''): Promise<Told> {
    return this.tell('PostToolUse', {
      tool_name: 'Bash',
      tool_input: { command },
      tool_use_id: call,
      tool_response: { stdout, stderr: '', interrupted: false },
      prompt_id: 'p',
    })
  }

  batchEnd(...calls: readonly string[]): Promise<Told> {
    const tool_calls = calls.map((id) => ({ tool_name: 'Bash', tool_input: {}, tool_use_id: id, tool_response: '' }))
    return this.tell('PostToolBatch', { tool_calls, prompt_id: 'p' })
  }

  /** Lines as Claude Code writes them (2.1.332, without request records): the model's call, a text beside it, the answer to both. */
  write(...lines: readonly object[]): void {
    appendFileSync(this.records, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  }

  /** The model answers: every text so far was in its request. */
  answers(call?: { readonly id: string; readonly command: string }): void {
    this.#requests += 1
    const content =
      call === undefined
        ? [{ type: 'text', text: 'ok' }]
        : [{ type: 'tool_use', id: call.id, name: 'Bash', input: { command: call.command } }]
    this.write({
      type: 'assistant',
      uuid: `a${this.#requests}`,
      requestRef: `req-${this.#requests}`,
      message: { id: `msg-${this.#requests}`, role: 'assistant', content },
    })
  }

  arrives(event: string, toolUseID: string, text: string): void {
    this.write({
      type: 'attachment',
      uuid: `t${this.#requests}-${toolUseID}`,
      attachment: { type: 'hook_additional_context', content: [text], hookName: event, toolUseID, hookEvent: event },
    })
  }

  isDenied(call: string, reason: string): void {
    this.write({
      type: 'user',
      uuid: `r-${call}`,
      message: {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: call, content: `PreToolUse:Bash hook error: ${reason}`, is_error: true }],
      },
      toolDenialKind: 'permission-rule',
      permissionDecision: { decision: 'reject', source: 'hook' },
    })
  }

  log(): readonly LoggedMoment[] {
    return this.engine.log({ limit: 1_000 })
  }

  /** Outcomes of an entry's candidates, oldest first. */
  outcomes(entry: string): string[] {
    return this.log().flatMap((moment) => moment.candidates.flatMap((row) => (row.entry === entry ? [row.outcome as string] : [])))
  }
}

export const textsIn = (text: string) => findMarks(text).map((mark) => mark.text)
