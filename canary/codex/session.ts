/**
 * One run of the real program as a server that a client drives (`codex app-server`). Sources of every call and key: docs/harnesses/codex.md.
 *
 * A session stays open for many prompts: `say` starts a turn and waits until it is over. It is ended by its own process id only.
 */
import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fieldsOf, TIMED_OUT, within } from '../kit/within.ts'
import type { Session as KitSession } from '../kit/stage.ts'
import type { Place } from '../place.ts'
import { openRpc } from '../../src/harness/codex/rpc.ts'
import type { Notification } from '../../src/harness/codex/rpc.ts'

/** One prompt, from its writing to the end of its turn. A scripted one takes about a second, on a busy machine far longer. */
const TURN_TIMEOUT_MS = 120_000
/** From the end of its input to the end of the process. */
const END_TIMEOUT_MS = 10_000
const MAX_ERROR_CHARS = 2_000

/** A model with plain calls of tools, and one that writes scripts that call them (code mode). */
export const PLAIN_MODEL = 'gpt-5.5'
export const CODE_MODEL = 'gpt-6.2-sol'

export interface SessionOptions {
  readonly program: string
  readonly model?: string
  /** Opens an earlier conversation, or a new one on top of it (`upTo`: of its beginning up to that turn), instead of a new one. */
  readonly from?: { readonly way: 'resume' | 'fork'; readonly session: string; readonly upTo?: string | undefined }
  readonly ephemeral?: boolean
  /** Settings for this conversation only. */
  readonly settings?: Readonly<Record<string, unknown>>
  readonly env?: Readonly<Record<string, string>>
}

export interface Session extends KitSession {
  /** The program's own ids of the turns, one a prompt. */
  turns(): readonly string[]
  /** Begins a new conversation in the same process, as a person's `/clear` does. */
  clear(): Promise<void>
}

/** The settings of a person who has one local model provider and trusts the project. */
export function settingsText(place: Place, modelUrl: string): string {
  return `model = "${PLAIN_MODEL}"
model_provider = "local"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[model_providers.local]
name = "local"
base_url = "${modelUrl}/v1"
wire_api = "responses"
env_key = "LOCAL_KEY"
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false

[projects."${place.project}"]
trust_level = "trusted"
`
}

/** Makes the folders look as after a first start, so that no question is asked. */
export async function prepareConfig(place: Place, modelUrl: string): Promise<void> {
  await writeFile(join(place.harnessConfig, 'config.toml'), settingsText(place, modelUrl))
}

export function sessionEnv(place: Place): Record<string, string> {
  return { ...place.env, CODEX_HOME: place.harnessConfig, LOCAL_KEY: 'local-dummy' }
}

export function openSession(place: Place, options: SessionOptions): Session {
  const child = spawn(options.program, ['app-server'], {
    cwd: place.project,
    env: { ...sessionEnv(place), ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const ended = new Promise<void>((resolve) => {
    child.on('error', () => resolve())
    child.on('close', () => resolve())
  })
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => (errors = `${errors}${chunk.toString('utf8')}`.slice(-MAX_ERROR_CHARS)))
  child.stdin.on('error', () => {})
  const notices: string[] = []
  const turns: string[] = []
  let thread = ''
  const over = new Set<(notification: Notification) => void>()
  const rpc = openRpc(child.stdout, child.stdin, (notification) => {
    notices.push(...noticesIn(notification))
    for (const listener of over) listener(notification)
  })
  const opened = open()

  async function open(): Promise<void> {
    await rpc.call('initialize', { clientInfo: { name: 'canary', title: null, version: '1' }, capabilities: { experimentalApi: true } })
    rpc.tell('initialized')
    await start()
  }

  async function start(source?: 'clear'): Promise<void> {
    const { from, model, ephemeral, settings } = options
    const params = {
      cwd: place.project,
      ...(model === undefined ? {} : { model }),
      ...(settings === undefined ? {} : { config: settings }),
    }
    const isNew = from === undefined || source !== undefined
    const answer = await (isNew
      ? rpc.call('thread/start', {
          ...params,
          ...(ephemeral === true ? { ephemeral } : {}),
          ...(source === undefined ? {} : { sessionStartSource: source }),
        })
      : rpc.call(`thread/${from.way}`, {
          ...params,
          threadId: from.session,
          ...(from.upTo === undefined ? {} : { lastTurnId: from.upTo }),
        }))
    thread = threadIn(answer)
  }

  /** Runs what begins a turn, and waits for the end of that turn. */
  async function turn(begin: () => Promise<unknown>): Promise<string> {
    let failure: string | null = null
    const completed = new Promise<void>((resolve) => {
      const listener = ({ method, params }: Notification): void => {
        if (params['threadId'] !== thread || method !== 'turn/completed') return
        failure = failureIn(params)
        over.delete(listener)
        resolve()
      }
      over.add(listener)
    })
    const begun = fieldsOf(await begin())
    const first = await within(Promise.race([completed.then(() => 'done'), ended.then(() => 'ended')]), TURN_TIMEOUT_MS)
    if (first === TIMED_OUT) {
      child.kill('SIGKILL')
      throw new Error(`the turn was not over within ${TURN_TIMEOUT_MS / 1000} s. ${errors}`)
    }
    if (first === 'ended') throw new Error(`the program ended before the turn was over. ${errors}`)
    if (failure !== null) throw new Error(`the turn failed: ${failure}`)
    return String(fieldsOf(begun['turn'])['id'])
  }

  return {
    id: () => thread,
    notices: () => notices,
    turns: () => turns,
    async say(prompt) {
      await opened
      const input = [{ type: 'text', text: prompt, text_elements: [] }]
      turns.push(await turn(() => rpc.call('turn/start', { threadId: thread, input })))
    },
    async compact() {
      await opened
      await turn(() => rpc.call('thread/compact/start', { threadId: thread }))
    },
    async clear() {
      await opened
      await start('clear')
    },
    async end() {
      await opened.catch(() => {})
      child.stdin.end()
      if ((await within(ended, END_TIMEOUT_MS)) !== TIMED_OUT) return
      child.kill('SIGKILL')
      await ended
    },
  }
}

function threadIn(answer: unknown): string {
  return String(fieldsOf(fieldsOf(answer)['thread'])['id'])
}

function failureIn(params: Readonly<Record<string, unknown>>): string | null {
  const { status, error } = fieldsOf(params['turn'])
  return status === 'failed' ? JSON.stringify(error) : null
}

/** What hooks have to say to the person: their warnings. */
function noticesIn({ method, params }: Notification): readonly string[] {
  if (method !== 'hook/completed') return []
  const { entries } = fieldsOf(params['run'])
  if (!Array.isArray(entries)) return []
  return entries.map(fieldsOf).flatMap(({ kind, text }) => (kind === 'warning' ? [String(text)] : []))
}

export interface ExecOptions {
  readonly program: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** One prompt by `codex exec`, as in scripts and CI. Gives the program's own id of the conversation. Throws when it fails. */
export async function runExec(place: Place, { program, args = [], env = {} }: ExecOptions, prompt: string): Promise<string> {
  const child = spawn(program, ['exec', '--json', ...args, prompt], {
    cwd: place.project,
    env: { ...sessionEnv(place), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TURN_TIMEOUT_MS,
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
  if (code !== 0) throw new Error(`codex exec ended with exit code ${code}: ${output.slice(-MAX_ERROR_CHARS)}`)
  return /"thread_id":"([^"]+)"/.exec(output)?.[1] ?? ''
}
