/**
 * Identifiers, each with a type of its own, so that a session can't be passed where a turn is meant.
 *
 * They are plain strings at run time: `id<RunId>(text)` is the one place where a string becomes an id.
 */
declare const brand: unique symbol
type Id<Name extends string> = string & { readonly [brand]: Name }

/** A harness by its short name, as in the address of a hook. */
export type HarnessName = 'claude-code' | 'codex' | 'grok' | 'opencode'
/** The harness's own id of a conversation. */
export type SessionId = Id<'session'>
/** One subagent of a session. The main agent has none. */
export type AgentId = Id<'agent'>
/** One model window: harness, session and agent joined (`contextIdOf`). */
export type ContextId = Id<'context'>
/** One conversation as the host knows it. */
export type ThreadId = Id<'thread'>
/** One turn of work, from a person's prompt to the stop. */
export type RunId = Id<'run'>
/** The harness's own id of one prompt, where it has one. */
export type TurnId = Id<'turn'>
/** One tool call, in the harness's own spelling. */
export type CallId = Id<'call'>
/** One reply that carries text. */
export type DeliveryId = Id<'delivery'>
/** One entry within one delivery: the delivery's short mark and a number, e.g. `k3f9x2.1`. It stands in the text as its mark. */
export type ClaimId = Id<'claim'>
/** Store name and path without `.md`, or the entry's own `id`. */
export type EntryId = Id<'entry'>
/** SHA-256, in hex, of a text. */
export type TextHash = Id<'text-hash'>

/** Milliseconds since the epoch, by the clock that the server was given. */
export type Millis = number

/** Turns a string from outside into an id. The caller says which. */
export function id<T extends Id<string>>(text: string): T {
  return text as T
}

/** One model window's id. A subagent of a session is a context of its own. */
export function contextIdOf(harness: HarnessName, session: SessionId, agent: AgentId | null): ContextId {
  return id<ContextId>(agent === null ? `${harness}/${session}` : `${harness}/${session}/${agent}`)
}
