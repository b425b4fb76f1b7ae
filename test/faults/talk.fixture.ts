/** One session of an agent, as Claude Code's hooks tell it, with the file in which the harness would keep its records. */
import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Answer, Served } from './served.fixture.ts'

export const COMMIT = '---\ntitle: Commit messages\nmust-know: true\nwhen:\n  - command: git commit\n---\nImperative subject.\n'
export const HOUSE = '---\ntitle: House rules\nwhen:\n  - session: start\n---\nBe kind.\n'
export const OUTPUT = '---\ntitle: Ports\nrepeat: always\nwhen:\n  - output: EADDRINUSE\n---\nAnother server holds the port.\n'

/** Past this, from the arrival in the server on, nothing is decided and nothing logged: the call is let through with 204 (law 17). */
const UNDECIDED_AFTER_MS = 600

export class Talk {
  readonly served: Served
  readonly session: string
  readonly records: string
  /** Deliveries that were decided about, as the log names them: answered with 200, or with 204 before the deadline. */
  readonly acknowledged: string[] = []
  #told = 0
  #answers = 0

  constructor(served: Served, number = 1) {
    this.served = served
    this.session = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
    this.records = join(served.home, '.claude', 'projects', '-project', `${this.session}.jsonl`)
    mkdirSync(dirname(this.records), { recursive: true })
  }

  get context(): string {
    return `claude-code/${this.session}`
  }

  event(hook_event_name: string, more: object = {}): object {
    return { session_id: this.session, transcript_path: this.records, cwd: this.served.project, hook_event_name, ...more }
  }

  async tell(name: string, more: object = {}): Promise<Answer | null> {
    this.#told += 1
    const delivery = `d-${this.#told}`
    const from = performance.now()
    const answer = await this.served.post(this.event(name, more), { 'contextmd-delivery': delivery })
    const isDecided = answer?.status === 200 || (answer?.status === 204 && performance.now() - from < UNDECIDED_AFTER_MS)
    if (isDecided) this.acknowledged.push(`${this.context}|${delivery}`)
    return answer
  }

  start(source = 'startup'): Promise<Answer | null> {
    return this.tell('SessionStart', { source })
  }

  prompt(): Promise<Answer | null> {
    return this.tell('UserPromptSubmit', { prompt: 'go on', prompt_id: `prompt-${this.#told}` })
  }

  bash(command: string, call = this.newCall()): Promise<Answer | null> {
    return this.tell('PreToolUse', bashCall(command, call))
  }

  bashDone(command: string, call: string, stdout: string): Promise<Answer | null> {
    return this.tell('PostToolUse', { ...bashCall(command, call), tool_response: { stdout, stderr: '', interrupted: false } })
  }

  batchEnd(...calls: readonly string[]): Promise<Answer | null> {
    return this.tell('PostToolBatch', {
      tool_calls: calls.map((id) => ({ tool_name: 'Bash', tool_input: {}, tool_use_id: id, tool_response: '' })),
    })
  }

  newCall(): string {
    return `toolu_${this.#told}n`
  }

  /** Lines of the session file. */
  write(...lines: readonly object[]): void {
    appendFileSync(this.records, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  }

  /** The model has answered: all that came before was in its request. */
  answers(call?: { readonly id: string; readonly command: string }): void {
    const words = { type: 'text', text: 'ok' }
    const use = call === undefined ? words : { type: 'tool_use', id: call.id, name: 'Bash', input: { command: call.command } }
    this.#answers += 1
    const message = { id: `msg-${this.#answers}`, role: 'assistant', content: [use] }
    this.write({ type: 'assistant', uuid: `a${this.#answers}`, requestRef: `req-${this.#answers}`, message })
  }

  /** A hook's text stands beside its call. */
  arrives(toolUseID: string, text: string): void {
    const attachment = {
      type: 'hook_additional_context',
      content: [text],
      hookName: 'PreToolUse',
      toolUseID,
      hookEvent: 'PreToolUse',
    }
    this.write({ type: 'attachment', uuid: `t-${toolUseID}`, attachment })
  }

  /** Some work: a held commit, a served output, an end of the batch. Never rejects. */
  async work(): Promise<void> {
    await this.bash('git commit -m x')
    const call = this.newCall()
    await this.bash('npm start', call)
    await this.bashDone('npm start', call, 'EADDRINUSE')
    await this.batchEnd(call)
    await this.prompt()
  }
}

export function bashCall(command: string, call: string): object {
  return { tool_name: 'Bash', tool_input: { command }, tool_use_id: call }
}
