/**
 * `codex app-server`, asked by us: it lists hooks with their hashes and edits the person's `config.toml`, keeping comments and format.
 *
 * Started for one errand and ended after it. It opens no conversation.
 */
import { spawn } from 'node:child_process'
import { openRpc, type Rpc } from './rpc.ts'

/** From the end of its input to the end of the process. */
const END_MS = 5_000
/** Enough of its own words to see what is wrong. */
const MAX_ERROR_CHARS = 500

export class AppServerError extends Error {
  override readonly name = 'AppServerError'
  /** `missing`: there is no such program. `failed`: it ended, refused the call, or did not answer. */
  readonly code: 'missing' | 'failed'
  constructor(code: AppServerError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

export interface AppServerOptions {
  readonly program: string
  readonly env: NodeJS.ProcessEnv
  /** Where the person stands: hooks of a project are found from there. */
  readonly folder: string
}

/** Runs an errand on a server of its own. Throws an `AppServerError`. */
export async function withAppServer<T>({ program, env, folder }: AppServerOptions, errand: (rpc: Rpc) => Promise<T>): Promise<T> {
  const child = spawn(program, ['app-server'], { cwd: folder, env, stdio: ['pipe', 'pipe', 'pipe'] })
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => (errors = `${errors}${chunk.toString('utf8')}`.slice(-MAX_ERROR_CHARS)))
  child.stdin.on('error', () => {})
  const ended = new Promise<NodeJS.ErrnoException | null>((resolve) => {
    child.on('error', (error) => resolve(error))
    child.on('close', () => resolve(null))
  })
  const failed = ended.then((error) => {
    const why = error === null ? `it ended: ${errors.trim()}` : error.message
    throw new AppServerError(error?.code === 'ENOENT' ? 'missing' : 'failed', `${program} app-server: ${why}`, { cause: error })
  })
  // when the errand is done first, its end is no failure
  failed.catch(() => {})
  try {
    const rpc = openRpc(child.stdout, child.stdin, () => {})
    return await Promise.race([failed, begun(rpc).then(errand)])
  } catch (cause) {
    if (cause instanceof AppServerError) throw cause
    throw new AppServerError('failed', `${program} app-server: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  } finally {
    child.stdin.end()
    const timer = setTimeout(() => child.kill('SIGKILL'), END_MS)
    await ended
    clearTimeout(timer)
  }
}

async function begun(rpc: Rpc): Promise<Rpc> {
  const clientInfo = { name: 'contextmd', title: 'ContextMD', version: '1' }
  await rpc.call('initialize', { clientInfo, capabilities: { experimentalApi: true } })
  rpc.tell('initialized')
  return rpc
}
