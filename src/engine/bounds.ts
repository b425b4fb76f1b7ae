/** Bounds of what an event may name: beyond them nothing is real, and looking for it would hold up every other call. */
import type { Moment } from '../core/moment.ts'
import { isPathLike } from '../real-path.ts'

/** Ids of harnesses are some forty characters; they stand in headers, too. */
const MAX_ID = 256

/** Of events, tools, kinds of agents and versions: they stand in the log. Names of tools of MCP servers are long. */
const MAX_NAME = 512
/** Of a moment, put together by a decoder from a few ids, the event's name and a time. */
const MAX_DELIVERY = 2_048
/** What ids are put together with (`contextIdOf`): in one of them it would make two contexts one. */
const JOINTS = /[/|]/

/** A fixed text if the moment names something that can't be real; null if it does not. */
export function beyondBounds(moment: Moment): string | null {
  const call = 'call' in moment ? moment.call : null
  const { session, agent, parent = null } = moment
  const ids = [session, agent, parent, moment.turn, call?.id ?? null, ...('calls' in moment ? moment.calls.map((one) => one.id) : [])]
  if (ids.some((one) => one !== null && one.length > MAX_ID)) return 'an id that is longer than any real one'
  if ((moment.deliveryId?.length ?? 0) > MAX_DELIVERY) return 'an id that is longer than any real one'
  if ([session, agent, parent].some((one) => one !== null && JOINTS.test(one))) return 'an id of a session or agent with / or | in it'
  const names = [moment.event, moment.agentType, moment.version, call?.harnessTool, call?.tool]
  if (names.some((one) => one !== undefined && one.length > MAX_NAME)) return 'a name that is longer than any real one'
  const paths = [moment.cwd, moment.records, ...(call === null ? [] : [call.cwd, ...call.paths.map((use) => use.path)])]
  return paths.some((path) => path !== null && !isPathLike(path)) ? 'a path that is longer or deeper than any real one' : null
}
