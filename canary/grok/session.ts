/**
 * Runs of the real program. Sources of every variable and flag: docs/harnesses/grok.md.
 *
 * `headless`: a process a prompt, `grok -p`, resumed for the next one. `acp`: one process for many prompts, `grok agent stdio`, as editors
 * and other clients run it. Ended by its own process id only.
 */
import { spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openAcp } from '../kit/acp.ts'
import type { Session } from '../kit/stage.ts'
import type { Place } from '../place.ts'

/** One prompt, from its writing to the program's end. A scripted one takes two seconds, on a busy machine far longer. */
const PROMPT_TIMEOUT_MS = 120_000
const MAX_OUTPUT_CHARS = 4_000
/** Far above what a scripted conversation is said to hold. */
const WINDOW_TOKENS = 200_000

export interface SessionOptions {
  readonly program: string
  readonly way?: 'headless' | 'acp'
  /** `default`: the program asks for what is not allowed, and nobody answers. */
  readonly permissions?: 'skipped' | 'default'
  readonly args?: readonly string[]
  /** A session to go on with; ACP only. */
  readonly load?: string
  readonly env?: Readonly<Record<string, string>>
}

/** Settings with the scripted model as the only one. */
export async function prepareConfig(place: Place, modelUrl: string, windowTokens = WINDOW_TOKENS): Promise<void> {
  await mkdir(place.harnessConfig, { recursive: true })
  const model = { model: 'local-model', base_url: modelUrl, api_key: 'local-dummy', api_backend: 'chat_completions' }
  const lines = Object.entries(model).map(([key, value]) => `${key} = ${JSON.stringify(value)}`)
  const text = ['[models]', 'default = "local"', '[model.local]', ...lines, `context_window = ${windowTokens}`, ''].join('\n')
  await writeFile(join(place.harnessConfig, 'config.toml'), text)
}

export function openSession(place: Place, options: SessionOptions): Session {
  const env = { ...sessionEnv(place), ...options.env }
  const permissions = options.permissions === 'default' ? [] : ['--always-approve']
  if (options.way === 'acp')
    return openAcp({
      program: options.program,
      args: ['agent', ...permissions, ...(options.args ?? []), 'stdio'],
      cwd: place.project,
      env,
      ...(options.load === undefined ? {} : { load: options.load }),
    })
  return headless(place, options, permissions, env)
}

function headless(place: Place, options: SessionOptions, permissions: readonly string[], env: Record<string, string>): Session {
  let session = ''
  return {
    id: () => session,
    notices: () => [],
    compact: () => Promise.reject(new Error('grok -p has no way to compact: open the session by ACP')),
    async say(prompt) {
      const more = session === '' ? (options.args ?? []) : ['-r', session]
      const args = ['-p', prompt, '--output-format', 'json', ...permissions, ...more]
      const output = await run(options.program, args, place.project, env)
      session = sessionIn(output)
    },
    end: async () => {},
  }
}

/** Throws with what it printed when it fails or takes too long. */
async function run(program: string, args: readonly string[], cwd: string, env: Record<string, string>): Promise<string> {
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: PROMPT_TIMEOUT_MS, killSignal: 'SIGKILL' })
  let output = ''
  let errors = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')))
  child.stderr.on('data', (chunk: Buffer) => (errors = `${errors}${chunk.toString('utf8')}`.slice(-MAX_OUTPUT_CHARS)))
  const code = await new Promise<number | null>((resolve) => {
    child.on('error', () => resolve(null))
    child.on('close', resolve)
  })
  if (code !== 0) throw new Error(`the program ended with exit code ${code}: ${output.slice(-MAX_OUTPUT_CHARS)} ${errors}`)
  return output
}

function sessionIn(output: string): string {
  const id = /"sessionId": "([^"]+)"/.exec(output)?.[1]
  if (id === undefined) throw new Error(`the program told no session: ${output.slice(-MAX_OUTPUT_CHARS)}`)
  return id
}

function sessionEnv(place: Place): Record<string, string> {
  return {
    ...place.env,
    GROK_HOME: place.harnessConfig,
    GROK_TELEMETRY_ENABLED: '0',
    GROK_TELEMETRY_TRACE_UPLOAD: '0',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    GROK_DISABLE_AUTOUPDATER: '1',
    GROK_AUTO_UPDATE: '0',
    // requests of its own besides the conversation
    GROK_TURN_SUMMARY: '0',
    GROK_TITLE_REFRESH: '0',
    GROK_SESSION_RECAP: '0',
  }
}
