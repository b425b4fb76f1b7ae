/**
 * One run of the real program. Sources of every variable and flag: docs/harnesses/claude-code.md.
 *
 * A session stays open for many prompts: `say` writes a prompt and waits for the program's `result` line. It is ended by its own process id only.
 */
import { spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fieldsOf, TIMED_OUT, within } from '../kit/within.ts'
import type { Session } from '../kit/stage.ts'
import type { Place } from '../place.ts'

/** One prompt, from its writing to the program's result. A scripted one takes about a second, on a busy machine far longer. */
const PROMPT_TIMEOUT_MS = 120_000
/** From the end of its input to the end of the process. */
const END_TIMEOUT_MS = 10_000
const MAX_ERROR_CHARS = 2_000

export interface SessionOptions {
  readonly program: string
  readonly modelUrl: string
  readonly model?: string
  /** `default`: the program asks for what is not allowed, and nobody answers. */
  readonly permissions?: 'skipped' | 'default'
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** A model of the new placement of texts, and one of the old. */
export const NEW_PLACEMENT_MODEL = 'claude-opus-5-5'
export const OLD_PLACEMENT_MODEL = 'claude-sonnet-4-5'

/** Makes the folders look as after a first start, so that no question is asked. */
export async function prepareConfig(place: Place): Promise<void> {
  await mkdir(place.harnessConfig, { recursive: true })
  const projects = { [place.project]: { hasTrustDialogAccepted: true, hasClaudeMdExternalIncludesApproved: true } }
  await writeFile(join(place.harnessConfig, '.claude.json'), JSON.stringify({ hasCompletedOnboarding: true, projects }))
}

type ResultLine = Readonly<Record<string, unknown>>

export function openSession(place: Place, options: SessionOptions): Session {
  const flags = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose']
  const permissions = options.permissions === 'default' ? [] : ['--dangerously-skip-permissions']
  const args = [...flags, '--model', options.model ?? NEW_PLACEMENT_MODEL, ...permissions, ...(options.args ?? [])]
  const child = spawn(options.program, args, { cwd: place.project, env: { ...sessionEnv(place, options.modelUrl), ...options.env } })
  const ended = new Promise<number | null>((resolve) => {
    child.on('error', () => resolve(null))
    child.on('close', resolve)
  })
  let errors = ''
  const notices: string[] = []
  let session = ''
  let waiting: ((line: ResultLine) => void) | null = null
  child.stderr.on('data', (chunk: Buffer) => (errors = `${errors}${chunk.toString('utf8')}`.slice(-MAX_ERROR_CHARS)))
  child.stdin.on('error', () => {})
  createInterface({ input: child.stdout }).on('line', (text) => {
    const line = parsed(text)
    if (line?.['subtype'] === 'informational') notices.push(String(line['content']))
    if (typeof line?.['session_id'] === 'string') session = line['session_id']
    if (line?.['type'] === 'result') waiting?.(line)
  })

  const say = async (prompt: string): Promise<void> => {
    const result = new Promise<ResultLine>((resolve) => (waiting = resolve))
    child.stdin.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content: prompt } })}\n`)
    const first = await within(Promise.race([result, ended]), PROMPT_TIMEOUT_MS)
    if (first === TIMED_OUT) {
      child.kill('SIGKILL')
      throw new Error(`the program gave no result within ${PROMPT_TIMEOUT_MS / 1000} s. ${errors}`)
    }
    if (first === null || typeof first === 'number')
      throw new Error(`the program ended (exit code ${first}) before it gave a result. ${errors}`)
    if (first['is_error'] === true) throw new Error(`the program gave an error: ${String(first['result'])}`)
  }

  return {
    id: () => session,
    say,
    compact: () => say('/compact'),
    notices: () => notices,
    async end() {
      child.stdin.end()
      if ((await within(ended, END_TIMEOUT_MS)) !== TIMED_OUT) return
      child.kill('SIGKILL')
      await ended
    },
  }
}

function parsed(line: string): ResultLine | null {
  try {
    return fieldsOf(JSON.parse(line))
  } catch {
    return null
  }
}

/** A command of the program besides sessions, to its end. Gives what it printed; throws with that when it fails. */
export async function runCommand(place: Place, { program, modelUrl }: SessionOptions, args: readonly string[]): Promise<string> {
  const child = spawn(program, args, {
    cwd: place.project,
    env: sessionEnv(place, modelUrl),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: PROMPT_TIMEOUT_MS,
    killSignal: 'SIGKILL',
  })
  let output = ''
  const keep = (chunk: Buffer): void => void (output += chunk.toString('utf8'))
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const code = await new Promise<number | null>((resolve) => {
    child.on('error', () => resolve(null))
    child.on('close', resolve)
  })
  if (code !== 0) throw new Error(`claude ${args.join(' ')} ended with exit code ${code}: ${output.slice(-MAX_ERROR_CHARS)}`)
  return output
}

function sessionEnv(place: Place, modelUrl: string): Record<string, string> {
  return {
    ...place.env,
    CLAUDE_CONFIG_DIR: place.harnessConfig,
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: 'local-dummy',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
    // The program refuses to skip permissions as root unless it is told that it runs in a closed box.
    IS_SANDBOX: '1',
  }
}
