/** Where ContextMD keeps its files. Everything can be moved by environment variables; nothing is created here. */
import { homedir, userInfo } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'

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

/** Throws where a folder can't be told: it is never one below wherever a command happens to run. */
export function pathsFrom(env: NodeJS.ProcessEnv = process.env): Paths {
  const config = join(absolute(env['XDG_CONFIG_HOME']) ?? join(homeFrom(env), '.config'), 'contextmd')
  const dataHome = (): string => absolute(env['XDG_DATA_HOME']) ?? join(homeFrom(env), '.local', 'share')
  const data = resolve(env['CONTEXTMD_DATA'] || join(dataHome(), 'contextmd'))
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

/**
 * The user's home: `HOME`, else what the system knows. `HOME=''` and a relative one are none, though Node's own `homedir` gives them back: files
 * would land below wherever a command happens to run. Throws where no home is known, as for a user id without a name.
 */
export function homeFrom(env: NodeJS.ProcessEnv): string {
  const home = absolute(env['HOME']) ?? homeOfSystem()
  if (home !== null) return home
  throw new Error('the home folder of your user is not known: set HOME to a folder, with its whole path')
}

function homeOfSystem(): string | null {
  try {
    return absolute(homedir()) ?? absolute(userInfo().homedir)
  } catch {
    return null
  }
}

/** A relative path in a variable of the environment is to be ignored (XDG Base Directory Specification). */
function absolute(path: string | undefined): string | null {
  return path !== undefined && isAbsolute(path) ? path : null
}
