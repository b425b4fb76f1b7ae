/** All stores that serving.json names, as one view: entries as saved on disk at this instant, compiled, with their problems. */
import type { Entry } from '../core/entry.ts'
import type { EntryId, Millis } from '../core/id.ts'
import type { Problem } from '../core/problem.ts'
import type { Matcher } from '../match/match.ts'
import type { Paths } from '../paths.ts'
import { compileAll, type Compile } from './compile-all.ts'
import { entryOf, problemsOf } from './held-file.ts'
import { openLiveFolder, type LiveFolder } from './live-folder.ts'
import { mergeEntries } from './merge.ts'
import { dependsOnProject, entryFor, withPointers } from './pointers.ts'
import { openProjectStores, type ProjectNow } from './project-store.ts'
import { openServingFile, type ServingNow } from './serving.ts'
import type { Stores, StoreView } from './stores.ts'

export interface StoresOptions {
  /** Without `trust` no store of a project is served. */
  readonly paths: Pick<Paths, 'serving' | 'config'> & Partial<Pick<Paths, 'trust'>>
  /** Makes the matcher. Entries that did not change keep their identity from one call to the next. */
  readonly compile: Compile
  /** The same for the stores that all projects share: may remember what it compiled before. */
  readonly recompile?: Compile
  readonly now: () => Millis
  readonly home: string
  /** Entries that no file of a store holds, for the stores in force. A person can switch them off in serving.json. */
  readonly builtIn?: (folders: readonly string[]) => { readonly entries: readonly Entry[]; readonly problems: readonly Problem[] }
  /** Files read before the stores count as open. The rest follows in the background. */
  readonly readsAtStart?: number
}

export interface OpenStores extends Stores {
  /** What lint says beyond the problems: infos of entries, as of the last `current()`. */
  notes(): readonly Problem[]
  /** Resolves when no file is left to be read in the background. */
  drain(): Promise<void>
}

export function openStores(options: StoresOptions): OpenStores {
  const { paths, compile, recompile = compile, now, home } = options
  const ownStores = openProjectStores({ trustFile: paths.trust, home, compile })
  const servingFile = openServingFile({ serving: paths.serving, config: paths.config, home })
  let serving: ServingNow | null = null
  let folders: readonly LiveFolder[] = []
  let view: StoreView = EMPTY
  let notes: readonly Problem[] = []
  /** Entries of the view that read otherwise in each project. */
  let dependent: readonly Entry[] = []
  let builtIns: readonly Entry[] = []
  let pump: NodeJS.Immediate | null = null
  let waiting: (() => void)[] = []
  let isClosed = false

  /** Keeps the folders that stay, so that nothing is read twice. */
  const takeServing = (at: Millis): boolean => {
    const next = servingFile.current(at)
    if (next === serving) return false
    serving = next
    const before = folders
    folders = next.serving.stores.map(
      (store) =>
        before.find((folder) => folder.store.name === store.name && folder.store.folder === store.folder) ??
        openLiveFolder(store, { home }),
    )
    for (const folder of before) if (!folders.includes(folder)) folder.close()
    return true
  }

  const refresh = (reads?: number): void => {
    if (isClosed) return
    const at = now()
    const hasNewServing = takeServing(at)
    // Every folder is refreshed, whatever the first one says.
    const changes = folders.map((folder) => folder.refresh(at, reads))
    if (hasNewServing || changes.includes(true)) build(at)
    if (folders.some((folder) => folder.isBehind())) startPump()
  }

  const build = (at: Millis): void => {
    const lists: Entry[][] = []
    const problems: Problem[] = [...(serving?.problems ?? [])]
    const infos: Problem[] = []
    for (const folder of folders) {
      const entries: Entry[] = []
      problems.push(...folder.problems())
      for (const path of [...folder.files.keys()].sort()) {
        const file = folder.files.get(path)
        if (file === undefined) continue
        const entry = entryOf(file, at)
        if (entry !== null) entries.push(entry)
        for (const problem of problemsOf(file, at)) (problem.severity === 'info' ? infos : problems).push(problem)
      }
      lists.push(entries)
    }
    if (folders.length === 0 && problems.length === 0) problems.push(noStores(paths.serving))
    const builtIn = serving?.serving.ownFiles === true ? options.builtIn?.(folders.map(({ store }) => store.folder)) : undefined
    problems.push(...(builtIn?.problems ?? []))
    builtIns = builtIn?.entries ?? []
    // first: no file can take the id of a built-in entry
    const merged = mergeEntries([builtIns, ...lists])
    const compiled = compileAll(merged.entries, recompile)
    notes = infos
    dependent = compiled.entries.filter(dependsOnProject)
    view = {
      version: view.version + 1,
      entries: compiled.entries,
      matcher: withPointers(compiled.matcher),
      problems: [...problems, ...merged.problems, ...compiled.problems],
      stores: folders.map(({ store }) => ({
        name: store.name,
        folder: store.folder,
        entries: compiled.entries.filter((entry) => entry.store === store.name).length,
      })),
    }
  }

  /** Goes on in the background with what did not fit into a call, a slice a turn of the event loop. */
  const startPump = (): void => {
    if (pump !== null) return
    pump = setImmediate(() => {
      pump = null
      guarded(refresh)
      if (pump === null) for (const done of waiting.splice(0)) done()
    })
    // Waiting for files must not keep a process alive that has nothing else to do, unless someone waits for them.
    if (waiting.length === 0) pump.unref()
  }

  /** The one place where a failure that nobody foresaw is caught: the last view stays, and says so. */
  const guarded = <T>(work: () => T): T | null => {
    try {
      return work()
    } catch (thrown) {
      const problem = failed(thrown)
      const others = view.problems.filter(({ code }) => code !== problem.code)
      view = { ...view, version: view.version + 1, problems: [...others, problem] }
      return null
    }
  }

  const projects = new Map<
    string,
    { readonly of: StoreView; readonly own: ProjectNow | null; readonly seen: string; readonly view: StoreView }
  >()
  const viewFor = (root: string): StoreView => {
    const own = isClosed ? null : guarded(() => ownStores.current(root, now()))
    const entries = dependent.map((entry) => entryFor(entry, root))
    const seen = entries.map((entry) => entry.read.join()).join('\n')
    const known = projects.get(root)
    if (known?.of === view && known.own === own && known.seen === seen) return known.view
    const common =
      dependent.length === 0 ? view : { ...view, entries: view.entries.map((entry) => entries[dependent.indexOf(entry)] ?? entry) }
    const made = own === null ? common : withOwn(common, own, builtIns)
    if (projects.size >= MOST_PROJECTS) projects.clear()
    projects.set(root, { of: view, own, seen, view: made })
    return made
  }

  /** What is known of all projects that agents were seen in: for health, and to find an entry by its id. */
  const viewOfAll = (): StoreView => ownStores.all().reduce((all, own) => withOwn(all, own, builtIns), view)

  guarded(() => refresh(options.readsAtStart ?? READS_AT_START))
  return {
    current(projectRoot) {
      guarded(refresh)
      return projectRoot === undefined ? viewOfAll() : viewFor(projectRoot)
    },
    notes: () => [...notes, ...ownStores.all().flatMap(({ infos }) => infos)],
    drain() {
      if (pump === null) return Promise.resolve()
      return new Promise((done) => {
        waiting.push(done)
        pump?.ref()
      })
    },
    close() {
      isClosed = true
      if (pump !== null) clearImmediate(pump)
      pump = null
      for (const done of waiting.splice(0)) done()
      for (const folder of folders) folder.close()
      ownStores.close()
    },
  }
}

/** Read before the first moment is answered: some seconds. A store beyond that is read on in the background. */
const READS_AT_START = 20_000
/** Views of this many projects are kept ready. */
const MOST_PROJECTS = 64

const NO_MATCH: Matcher = { match: () => ({ candidates: [], notAnalysed: null }) }
const EMPTY: StoreView = { version: 0, entries: [], matcher: NO_MATCH, problems: [], stores: [] }

function noStores(serving: string): Problem {
  return {
    code: 'stores_none',
    severity: 'warning',
    message: 'there is no store: nothing is served',
    cure: 'run `contextmd setup`, or name a folder of entries in serving.json',
    file: serving,
  }
}

/** A view with the entries of a project's own store: of equal ids they win over all but built-in ones, and the losers are reported. */
function withOwn(view: StoreView, own: ProjectNow, builtIns: readonly Entry[]): StoreView {
  const merged = mergeEntries([builtIns, own.entries, view.entries.filter((entry) => builtIns.every(({ id }) => id !== entry.id))])
  const ids = new Set(own.entries.map((entry) => entry.id))
  for (const { id } of builtIns) ids.delete(id)
  const store = { name: own.name, folder: own.folder, entries: own.entries.length }
  return {
    version: view.version + own.version,
    entries: merged.entries,
    matcher: own.entries.length === 0 ? view.matcher : both(own.matcher, view.matcher, ids),
    problems: [...view.problems, ...own.problems, ...merged.problems],
    stores: own.entries.length === 0 ? view.stores : [store, ...view.stores],
  }
}

/** Two matchers as one: entries with these ids come from the first, all others from the second. */
function both(first: Matcher, second: Matcher, ids: ReadonlySet<EntryId>): Matcher {
  return {
    match(subject) {
      const [a, b] = [first.match(subject), second.match(subject)]
      const notes = new Set([a.notAnalysed, b.notAnalysed].filter((note) => note !== null))
      return {
        candidates: [...a.candidates.filter(({ entry }) => ids.has(entry.id)), ...b.candidates.filter(({ entry }) => !ids.has(entry.id))],
        notAnalysed: notes.size === 0 ? null : [...notes].join('; '),
      }
    },
  }
}

function failed(thrown: unknown): Problem {
  const detail = thrown instanceof Error ? thrown.message : String(thrown)
  return {
    code: 'stores_failed',
    severity: 'error',
    message: `looking at the stores failed (${detail}); the entries as last read are served`,
    cure: 'report this: it is a fault of ContextMD',
  }
}
