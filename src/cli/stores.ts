/** The stores as the server would see them, for commands that look at entries themselves. */
import type { Entry } from '../core/entry.ts'
import type { Problem } from '../core/problem.ts'
import { ownFilesEntry } from '../guard/own-files.ts'
import { compile } from '../match/compile.ts'
import { homeFrom, pathsFrom } from '../paths.ts'
import { openStores } from '../stores/open.ts'
import { nearest } from '../stores/nearest.ts'
import type { StoreView } from '../stores/stores.ts'
import { CommandError, type Io } from './command.ts'

export interface SeenStores {
  readonly view: StoreView
  /** Infos of entries, which the view leaves out. */
  readonly notes: readonly Problem[]
  readonly home: string
}

/** Every file is read. `projectRoot` may bring a store of its own. With `builtIn`, entries of ContextMD itself are among them. */
export function readStores(io: Io, projectRoot: string, { builtIn = false }: { readonly builtIn?: boolean } = {}): SeenStores {
  const home = homeOf(io)
  const paths = pathsFrom(io.env)
  const claudeConfig = io.env['CLAUDE_CONFIG_DIR']
  const own = (folders: readonly string[]) => ownFilesEntry({ paths, home, stores: folders, ...(claudeConfig ? { claudeConfig } : {}) })
  const stores = openStores({ paths, compile, now: Date.now, home, readsAtStart: Infinity, ...(builtIn ? { builtIn: own } : {}) })
  try {
    const view = stores.current(projectRoot)
    return { view, notes: stores.notes(), home }
  } finally {
    stores.close()
  }
}

export function homeOf(io: Io): string {
  return homeFrom(io.env)
}

/** Throws a `CommandError` that says why there is no such entry, where that is known. */
export function entryById({ view, notes }: SeenStores, wanted: string): Entry {
  const found = view.entries.find(({ id }) => id === wanted) ?? only(view.entries.filter(({ id }) => id.endsWith(`/${wanted}`)))
  if (found !== undefined) return found
  const broken = [...view.problems, ...notes].find(({ file }) => file !== undefined && isFileOf(file, wanted, view))
  if (broken !== undefined) {
    const line = broken.line === undefined ? '' : `:${broken.line}`
    throw new CommandError('failed', `${wanted} is not served: ${broken.message} (${broken.file}${line}; ${broken.cure})`)
  }
  const ids = view.entries.map(({ id }) => id)
  const near = nearest(wanted, ids) ?? ids.find((id) => id.includes(wanted)) ?? null
  throw new CommandError('failed', `there is no entry "${wanted}"${near === null ? '' : `: did you mean "${near}"?`}`)
}

function only<T>(found: readonly T[]): T | undefined {
  return found.length === 1 ? found[0] : undefined
}

/** An entry with a mistake has no id of its own yet: the one that its place gives it is looked for. */
function isFileOf(file: string, wanted: string, { stores }: StoreView): boolean {
  return stores.some(
    ({ name, folder }) => file === `${folder}/${wanted.startsWith(`${name}/`) ? wanted.slice(name.length + 1) : wanted}.md`,
  )
}
