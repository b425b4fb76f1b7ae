/** Which thread, run and attempt a moment belongs to, when several databases are asked. Pure: what they said comes in. */
import { id, type RunId, type ThreadId } from '../../core/id.ts'
import type { Moment } from '../../core/moment.ts'
import type { Joined, ThreadState } from '../../host.ts'
import { standaloneHost } from '../standalone/standalone.ts'
import type { Attempt } from './attempts.ts'
import type { Located } from './database.ts'
import type { T3Source } from './source.ts'

export interface Said {
  readonly source: T3Source
  readonly located: Located | { readonly state: 'failing' }
}

export type Verdict =
  | { readonly state: 'joined'; readonly source: T3Source; readonly attempt: Attempt }
  | { readonly state: 'ambiguous' | 'known' | 'unknown' | 'unmapped' | 'failing' }

/** What all of them say together. */
export function verdictOf(all: readonly Said[]): Verdict {
  const said = all.map(withoutCrashed)
  const joined = said.flatMap(({ source, located }) => (located.state === 'joined' ? [{ source, attempt: located.attempt }] : []))
  const only = onlyOne(joined)
  const is = (state: Said['located']['state']) => said.some(({ located }) => located.state === state)
  if (only !== null && !is('ambiguous')) return { state: 'joined', ...only }
  if (joined.length > 0 || is('ambiguous')) return { state: 'ambiguous' }
  if (is('unmapped')) return { state: 'unmapped' }
  if (is('known')) return { state: 'known' }
  return { state: is('failing') ? 'failing' : 'unknown' }
}

/** A host that crashed left attempts open that nobody works on. The session may go on in a terminal. */
function withoutCrashed(one: Said): Said {
  const { source, located } = one
  const seemsToRun = located.state === 'joined' || located.state === 'ambiguous'
  return seemsToRun && source.hasCrashed() ? { source, located: { state: 'known' } } : one
}

interface JoinedSource {
  readonly source: T3Source
  readonly attempt: Attempt
}

/** A copy that a newer build made of an older database may hold a run that still seems to go on. */
function onlyOne(joined: readonly JoinedSource[]): JoinedSource | null {
  const folders = new Set<string>()
  const firsts = joined.filter(({ source }) => !folders.has(source.folder) && folders.add(source.folder))
  if (firsts.length === 1) return firsts[0] ?? null
  const live = firsts.filter(({ source }) => source.isLive() === true)
  return live.length === 1 ? (live[0] ?? null) : null
}

/** The state of the session's thread once it is joined to a host's attempt. */
export function joinedThread(moment: Moment, before: ThreadState | null, { attempt, run, thread }: Attempt): ThreadState {
  const runId = id<RunId>(run)
  const runs = before === null ? 1 : before.run === runId ? before.runs : before.runs + 1
  const isFirst = before !== null && before.attempt === undefined
  const moved = isFirst ? { from: before.run, to: runId } : before?.moved
  return {
    session: moment.session,
    thread: id<ThreadId>(thread),
    run: runId,
    runs: isFirst ? before.runs : runs,
    phase: moment.agent === null && (moment.kind === 'stop' || moment.kind === 'session-end') ? 'stopped' : 'running',
    attempt,
    ...(moved === undefined ? {} : { moved }),
  }
}

/** Judged on the run that it had: between two attempts, or while the host can't be read. */
export function onLastRun(before: ThreadState): Joined {
  return { joining: { state: 'unjoined', thread: before.thread, run: before.run }, thread: before }
}

/** As a plain terminal's. A thread that a host once knew goes on under its name. */
export function standalone(moment: Moment, before: ThreadState | null, parent?: ThreadState | null): Joined {
  if (before?.attempt === undefined) return standaloneHost.join(moment, before, parent)
  const { attempt: _, ...rest } = before
  return standaloneHost.join(moment, rest, parent)
}
