/** Where ContextMD keeps its files. Everything can be moved by environment variables; nothing is created here. */
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

/** The port that hooks are written with unless `--port` says otherwise. */
export const DEFAULT_PORT = 4517

export interface Paths {
  /** Settings and the first store: `~/.config/contextmd`. */
  readonly config: string
  /** The list of stores: `serving.json` in the settings folder, or `CONTEXTMD_SERVING_CONFIG`. */
  readonly serving: string
  /** State, tokens, hooks and notes: `~/.local/share/contextmd`, or `CONTEXTMD_DATA`. */
  readonly data: string
  readonly state: string
  /** A database whose lock tells that a server owns the state. */
  readonly lock: string
  /** Tokens, hashed. */
  readonly tokens: string
  /** What a person trusts of the stores that projects bring. */
  readonly trust: string
  /** The token of the person's own command line, in a file that only they can read. */
  readonly ownToken: string
  /** Address and process of the running server. */
  readonly server: string
  /** With it the server proves to hooks that it is ours. */
  readonly key: string
  /** What a server without a terminal has to say. */
  readonly log: string
  readonly hooks: string
  readonly notes: string
}

export function pathsFrom(env: NodeJS.ProcessEnv = process.env): Paths {
  const home = env['HOME'] || homedir()
  const config = join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'contextmd')
  const data = resolve(env['CONTEXTMD_DATA'] || join(env['XDG_DATA_HOME'] || join(home, '.local', 'share'), 'contextmd'))
  return {
    config,
    serving: resolve(env['CONTEXTMD_SERVING_CONFIG'] || join(config, 'serving.json')),
    data,
    state: join(data, 'contextmd.sqlite'),
    lock: join(data, 'server.lock'),
    tokens: join(data, 'tokens.json'),
    trust: join(data, 'trust.json'),
    ownToken: join(data, 'own-token'),
    server: join(data, 'server.json'),
    key: join(data, 'server.key'),
    log: join(data, 'server.log'),
    hooks: join(data, 'hooks'),
    notes: join(data, 'notes'),
  }
}
