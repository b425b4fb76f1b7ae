/**
 * The real program as a server (`opencode serve`), with a home of its own, a scripted model and nobody else to talk to.
 *
 * One that is warm serves all rows: its start takes 5 s of a processor. It is ended by its own process id only.
 */
import { spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../contextmd.ts'

const START_TIMEOUT_MS = 180_000
const STOP_TIMEOUT_MS = 5_000
const LOOK_EVERY_MS = 100
/** A request that comes while the program still starts can hang for good. */
const LOOK_TIMEOUT_MS = 5_000
const MAX_OUTPUT_CHARS = 4_000

export interface ProgramOptions {
  readonly program: string
  readonly home: string
  readonly modelUrl: string
  readonly path: string
  /** Settings besides those of the model. */
  readonly settings?: object
  readonly env?: Readonly<Record<string, string>>
}

export interface Program {
  readonly url: string
  /** What it printed, for a row that failed. */
  output(): string
  stop(): Promise<void>
}

/** The environment in which it asks nobody: no updates, no model list, no language servers, no other agent's settings. */
export function programEnv({ home, path, env = {} }: Pick<ProgramOptions, 'home' | 'path' | 'env'>): Record<string, string> {
  const off = ['AUTOUPDATE', 'MODELS_FETCH', 'LSP_DOWNLOAD', 'DEFAULT_PLUGINS', 'SHARE', 'CLAUDE_CODE']
  return {
    PATH: path,
    HOME: home,
    LANG: 'C.UTF-8',
    TMPDIR: join(home, 'tmp'),
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local', 'share'),
    XDG_STATE_HOME: join(home, '.local', 'state'),
    XDG_CACHE_HOME: join(home, '.cache'),
    OPENCODE_MODELS_PATH: modelsFile(home),
    ...Object.fromEntries(off.map((name) => [`OPENCODE_DISABLE_${name}`, '1'])),
    ...env,
  }
}

/**
 * Stands for the catalogue of all vendors' models, which the program has built in and reads anew for every folder: 2 s of a processor a row.
 * The scripted model stands in the settings.
 */
function modelsFile(home: string): string {
  return join(home, 'models.json')
}

/** Settings with the scripted model; the folder for packages is prepared, or its start would ask the package registry. */
export async function prepareHome({
  home,
  modelUrl,
  settings = {},
}: Pick<ProgramOptions, 'home' | 'modelUrl' | 'settings'>): Promise<void> {
  const config = join(home, '.config', 'opencode')
  for (const folder of [config, join(home, 'tmp'), join(config, 'node_modules')]) await mkdir(folder, { recursive: true })
  const model = { name: 'M1', tool_call: true, limit: { context: 200_000, output: 8_000 } }
  const provider = {
    npm: '@ai-sdk/openai-compatible',
    name: 'Scripted',
    options: { baseURL: modelUrl, apiKey: 'local-dummy' },
    models: { m1: model, 'gpt-5': { ...model, name: 'G' } },
  }
  const all = {
    provider: { scripted: provider },
    model: 'scripted/m1',
    small_model: 'scripted/m1',
    autoupdate: false,
    share: 'disabled',
    snapshot: false,
    ...settings,
  }
  await writeFile(join(config, 'opencode.json'), JSON.stringify(all, null, 2))
  await writeFile(modelsFile(home), '{}')
  const dependencies = { '@opencode-ai/plugin': '1' }
  await writeFile(join(config, 'package.json'), JSON.stringify({ dependencies }))
  await writeFile(join(config, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages: { '': { dependencies } } }))
}

export async function startProgram(options: ProgramOptions): Promise<Program> {
  const port = await freePort()
  const env = programEnv(options)
  const child = spawn(options.program, ['serve', '--port', String(port), '--hostname', '127.0.0.1'], {
    cwd: options.home,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const keep = (chunk: Buffer): void => void (output = `${output}${chunk.toString('utf8')}`.slice(-MAX_OUTPUT_CHARS))
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const url = `http://127.0.0.1:${port}`
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
    await ended
    clearTimeout(timer)
  }
  // the canary ends by itself, and nothing of it may stay
  process.once('exit', () => void child.kill('SIGKILL'))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  const end = performance.now() + START_TIMEOUT_MS
  while (!(await isUp(url))) {
    if (performance.now() > end || child.exitCode !== null) {
      await stop()
      throw new Error(`opencode serve did not start: ${output.trim()}`)
    }
    await sleep(LOOK_EVERY_MS)
  }
  return { url, output: () => output, stop }
}

async function isUp(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/global/health`, { signal: AbortSignal.timeout(LOOK_TIMEOUT_MS) }).catch(() => null)
  return answer?.status === 200
}
