/**
 * ContextMD beside hosts that run unchanged on the same machine: each session goes to the host that knows it, all others are plain
 * terminals.
 *
 * Settings and files are looked at for every moment: a host that appears, goes or is replaced counts from the next one on.
 */
import { performance } from 'node:perf_hooks'
import type { Millis } from '../../core/id.ts'
import type { Problem } from '../../core/problem.ts'
import type { Host, HostSetting } from '../../host.ts'
import { DatabaseFile } from '../t3code/database-file.ts'
import { findDatabases, hasServerCrashed, hostBases, isServerLive, type FoundDatabase } from '../t3code/discover.ts'
import { T3Source } from '../t3code/source.ts'
import { T3Host } from '../t3code/t3-host.ts'

export interface BesideOptions {
  readonly setting: () => Pick<HostSetting, 'kind' | 'base'>
  readonly env: NodeJS.ProcessEnv
  readonly home: string
  readonly now: () => Millis
  readonly mono?: () => number
}

interface Opened {
  readonly file: DatabaseFile
  readonly source: T3Source
}

export function besideHost({ setting, env, home, now, mono = () => performance.now() }: BesideOptions): Host {
  let opened: ReadonlyMap<string, Opened> = new Map()

  const open = ({ path, folder }: FoundDatabase): Opened => {
    const file = new DatabaseFile(path)
    const isLive = () => isServerLive(folder)
    const hasCrashed = () => hasServerCrashed(folder)
    return { file, source: new T3Source({ rows: file, name: path, folder, isLive, hasCrashed, clocks: { now, mono } }) }
  }

  const basesNow = (): readonly string[] => {
    const { kind, base } = setting()
    return kind === 'standalone' ? [] : hostBases(base, env, home)
  }

  /** Of this very turn of the event loop: the calls of a wave are joined one after the other, and looking takes longer than joining. */
  let found: readonly FoundDatabase[] | null = null
  const databasesNow = (): readonly FoundDatabase[] => {
    if (found !== null) return found
    process.nextTick(() => (found = null))
    return (found = findDatabases(basesNow()))
  }

  const sources = (): readonly T3Source[] => {
    const next = new Map<string, Opened>()
    const folders = new Map<string, T3Source[]>()
    for (const found of databasesNow()) {
      const kept = opened.get(found.path)
      const isSame = kept !== undefined && kept.source.ask(() => !kept.file.follow(), true)
      // another file under the same name: nothing of what was seen in the old one counts
      const one = isSame ? kept : open(found)
      next.set(found.path, one)
      folders.set(found.folder, [...(folders.get(found.folder) ?? []), one.source])
    }
    for (const [path, { file }] of opened) if (next.get(path)?.file !== file) file.close()
    opened = next
    return [...folders.values()].flatMap(mappedOrFirst)
  }

  const problems = (): readonly Problem[] => {
    const { kind } = setting()
    if (kind !== 't3code' || findDatabases(basesNow()).length > 0) return []
    return [absent(basesNow())]
  }

  return new T3Host({
    sources,
    servesOthers: () => true,
    problems,
    close: () => {
      for (const { file } of opened.values()) file.close()
      opened = new Map()
    },
  })
}

/** Of a folder's databases those that have the tables; one that an older build left behind is no problem. */
function mappedOrFirst(sources: readonly T3Source[]): readonly T3Source[] {
  const mapped = sources.filter((source) => source.ask((database) => database.shape().state === 'mapped', true))
  return mapped.length > 0 ? mapped : sources.slice(0, 1)
}

function absent(bases: readonly string[]): Problem {
  return {
    code: 'host_absent',
    severity: 'warning',
    message: `serving.json names T3 Code as host, and there is no database of it in ${bases.join(' or ')}: every session counts as a plain one.`,
    cure: 'Name its base folder as "host": {"kind": "t3code", "base": "…"}, or start T3 Code once.',
    key: 'host',
  }
}
