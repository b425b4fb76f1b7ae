/**
 * A session of Claude Code as its hooks post it, with the lines that the program writes to its session file: so that reading of evidence
 * has to do what it has to do in real life. Shapes are those of 2.1.332.
 */
import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'

export const MOMENT_KINDS = {
  start: 'session start',
  prompt: 'prompt',
  command: 'before a command',
  'command-after': 'after a command, 2 KB of output',
  file: 'before a read or an edit',
  'file-after': 'after a read or an edit',
  batch: 'batch end',
  stop: 'stop',
} as const
export type MomentOfSession = keyof typeof MOMENT_KINDS

/** Sends one event; resolves to the JSON that the hook would print, or an empty text. */
export type Post = (kind: MomentOfSession, event: string) => Promise<string>

export interface Session {
  readonly id: string
  /** Home and project of the place where it happens. */
  readonly root: string
  readonly project: string
}

/** Calls between two prompts. */
const TURNS_A_PROMPT = 10

/** Ends when all is answered. */
export async function playSession(session: Session, turns: number, post: Post): Promise<void> {
  const told = new Teller(session)
  await told.tell(post, 'start', 'SessionStart', 'SessionStart', { source: 'startup' })
  for (let turn = 0; turn < turns; turn += 1) {
    if (turn % TURNS_A_PROMPT === 0) {
      const prompt = `Please mend what the tests of part ${turn} say, then write the release notes for it. Look at src/server first.`
      await told.tell(post, 'prompt', 'UserPromptSubmit', `prompt-${turn}`, { prompt, prompt_id: `${session.id.slice(0, 9)}${turn}` })
    }
    const { kind, tool, response } = callOf(session, turn)
    const call = `toolu_${session.id.slice(0, 8)}${String(turn).padStart(12, '0')}`
    const input = { ...tool, tool_use_id: call }
    told.answers(turn, call, tool)
    await told.tell(post, kind, 'PreToolUse', call, input)
    await told.tell(post, `${kind}-after`, 'PostToolUse', call, { ...input, tool_response: response, duration_ms: 28 })
    told.returns(call, JSON.stringify(response))
    await told.tell(post, 'batch', 'PostToolBatch', call, { tool_calls: [{ ...input, tool_response: 'done' }] })
  }
  await told.tell(post, 'stop', 'Stop', 'stop', { stop_hook_active: false, last_assistant_message: 'Done.' })
}

/** Where the harness keeps the records of a session. */
export function recordsOf({ root, id }: Session): string {
  return join(root, '.claude', 'projects', '-project', `${id}.jsonl`)
}

/** What comes before the first reply of the model: the start and a prompt. */
export function opening(session: Session): readonly string[] {
  const base = baseOf(session)
  const prompt = { hook_event_name: 'UserPromptSubmit', prompt: 'Commit what you have, part by part.' }
  return [
    { ...base, hook_event_name: 'SessionStart', source: 'startup' },
    { ...base, ...prompt },
  ].map((event) => JSON.stringify(event))
}

/** The event of one call of `git commit`, which a must-know entry of the corpus holds. */
export function heldCall(session: Session, call: string): string {
  const tool = { tool_name: 'Bash', tool_input: { command: `git add -A && git commit -m "Mend part ${call}"` }, tool_use_id: call }
  return JSON.stringify({ ...baseOf(session), hook_event_name: 'PreToolUse', ...tool })
}

function baseOf(session: Session): object {
  return {
    session_id: session.id,
    transcript_path: recordsOf(session),
    cwd: session.project,
    prompt_id: '00000000-0000-4000-8000-000000000002',
    permission_mode: 'default',
  }
}

/** About 300 bytes of shell. */
export function commandOf(turn: number): string {
  return (
    `npm run lint -- --max-warnings ${turn} && npx vitest run src/server 2>&1 | tail -n 40; git status --short; ` +
    `git --no-pager diff --stat HEAD~3 -- src docs && grep -rn "TODO(part ${turn})" src --include='*.ts' | head -n 20 && ` +
    `node scripts/report.js --since "2 weeks ago" --format json > build/report-${turn}.json`
  )
}

/** Output of that many characters, as a test runner prints it. Nothing in it fails. */
export function outputOf(characters: number): string {
  const line = ' ✓ src/server/moment.test.ts (24 tests) 1184ms  answers within the deadline whatever the body is\n'
  return line.repeat(Math.ceil(characters / line.length)).slice(0, characters)
}

const OUTPUT = outputOf(2_000)

interface Call {
  readonly kind: 'command' | 'file'
  readonly tool: { readonly tool_name: string; readonly tool_input: object }
  readonly response: object
}

/** Of four calls two are commands, one reads and one edits. */
function callOf({ project }: Session, turn: number): Call {
  const file_path = join(project, 'src', 'server', `part-${turn}.ts`)
  if (turn % 4 === 1) {
    return { kind: 'file', tool: { tool_name: 'Read', tool_input: { file_path } }, response: { type: 'text', file: { content: OUTPUT } } }
  }
  if (turn % 4 === 3) {
    const edit = { file_path, old_string: 'const a = 1', new_string: 'const a = 2\nconst b = 3' }
    return { kind: 'file', tool: { tool_name: 'Edit', tool_input: edit }, response: { filePath: file_path, structuredPatch: [] } }
  }
  const input = { command: commandOf(turn), description: 'Runs the tests' }
  return { kind: 'command', tool: { tool_name: 'Bash', tool_input: input }, response: { stdout: OUTPUT, stderr: '', interrupted: false } }
}

/** Posts events of one session and writes its session file. */
class Teller {
  readonly #base: object
  readonly #records: string
  readonly #event: string
  #line = 0

  constructor(session: Session) {
    this.#base = baseOf(session)
    this.#records = recordsOf(session)
    this.#event = session.id
    mkdirSync(dirname(this.#records), { recursive: true })
  }

  /** What the answer carries is written as the harness writes it: it stands in the next request. */
  async tell(post: Post, kind: MomentOfSession, event: string, toolUseID: string, more: object): Promise<void> {
    const answer = await post(kind, JSON.stringify({ ...this.#base, hook_event_name: event, ...more }))
    if (!answer.includes('"additionalContext"')) return
    const { hookSpecificOutput } = JSON.parse(answer) as { hookSpecificOutput: { additionalContext: string } } // the server's own answer
    const content = [hookSpecificOutput.additionalContext]
    this.#write({
      type: 'attachment',
      attachment: { type: 'hook_additional_context', content, hookName: event, toolUseID, hookEvent: event },
    })
  }

  /** The model calls a tool, which answers all that stood in the request. */
  answers(turn: number, call: string, tool: Call['tool']): void {
    const content = [{ type: 'tool_use', id: call, name: tool.tool_name, input: tool.tool_input }]
    this.#write({ type: 'assistant', requestRef: `request-${turn}`, message: { id: `message-${turn}`, role: 'assistant', content } })
  }

  returns(call: string, content: string): void {
    const message = { role: 'user', content: [{ type: 'tool_result', tool_use_id: call, content, is_error: false }] }
    this.#write({ type: 'user', message, toolUseResult: {}, permissionDecision: { decision: 'accept' } })
  }

  #write(record: object): void {
    this.#line += 1
    const line = { ...record, uuid: `${this.#event}-${this.#line}`, sessionId: this.#event, version: '2.1.332', isSidechain: false }
    appendFileSync(this.#records, `${JSON.stringify(line)}\n`)
  }
}
