/**
 * One thing that happened in an agent's session, as every part of the server knows it.
 *
 * A harness's decoder makes it from the event that a hook posted; nothing after the decoder looks at the event again.
 */
import type { AgentId, CallId, ContextId, DeliveryId, HarnessName, Millis, SessionId, TurnId } from './id.ts'

/** Canonical tool names over all harnesses. A tool of an MCP server is `mcp:SERVER/TOOL`; anything else keeps its own name. */
export type ToolName = 'shell' | 'read' | 'edit' | 'write' | 'search' | 'fetch' | 'task' | (string & {})

export interface PathUse {
  /** Absolute, as the call named it (relative ones joined to the call's folder). */
  readonly path: string
  /** The same with symlinks and `..` resolved as far as it exists. */
  readonly real: string
  /** `unknown`: a shell command names the path, and what it does with it can't be told. */
  readonly access: 'read' | 'write' | 'unknown'
  /** True if the whole file is written, not a part of it. */
  readonly whole?: boolean
}

export interface ToolCall {
  /** Null where an event carries none. Then nothing is ever proven by it. */
  readonly id: CallId | null
  readonly tool: ToolName
  /** The harness's own name of the tool. */
  readonly harnessTool: string
  /** The shell command line, for `shell`. */
  readonly command?: string
  /** Folder in which the call runs, absolute. */
  readonly cwd: string
  /** Files that the call's own fields name. What a command names is found by `match/`. */
  readonly paths: readonly PathUse[]
  /** Text about to be written. */
  readonly content?: string
}

export interface ToolResult {
  /** `failed` when the harness says so or the exit code is not 0. Masked failures are found by `match/`. */
  readonly state: 'ok' | 'failed' | 'unknown'
  readonly exitCode?: number
  /** What the tool gave back, as text. */
  readonly output: string
}

interface MomentBase {
  readonly harness: HarnessName
  /** The harness's version, where the event tells. */
  readonly version?: string
  readonly session: SessionId
  readonly agent: AgentId | null
  readonly agentType?: string
  /** The session that started this subagent, whose session is its own; only the start tells it. */
  readonly parent?: SessionId
  readonly context: ContextId
  /** The harness's own name of the event, for the log. */
  readonly event: string
  /** From the event's own unique id; null where it has none. */
  readonly deliveryId: DeliveryId | null
  readonly turn: TurnId | null
  readonly cwd: string
  /** Where the harness keeps the records of this context; null where it says that there are none. */
  readonly records: string | null
  /** The harness only tells of it: no text gets in here and no call can be stopped, whatever else moments of this kind allow. */
  readonly noSeam?: true
  readonly at: Millis
}

export type SessionSource = 'startup' | 'resume' | 'fork' | 'clear' | 'compact'

export type Moment = MomentBase &
  (
    | { readonly kind: 'session-start'; readonly source: SessionSource }
    /** `machineMade`: a background agent's notice and the like, not typed by a person. */
    | { readonly kind: 'prompt'; readonly text: string; readonly machineMade: boolean }
    | { readonly kind: 'before-tool'; readonly call: ToolCall }
    | { readonly kind: 'after-tool'; readonly call: ToolCall; readonly result: ToolResult }
    /** All calls of one model reply are done. `denied` holds what the harness will send for each call. */
    | { readonly kind: 'batch-end'; readonly calls: readonly BatchCall[] }
    /** Another decider of the harness refused the call. */
    | { readonly kind: 'refused'; readonly call: ToolCall }
    /** Announced is no proof that it happens. */
    | { readonly kind: 'compaction'; readonly phase: 'announced' | 'done' }
    | { readonly kind: 'subagent-start' }
    | { readonly kind: 'subagent-stop' }
    /** `again`: a hook has already made the agent go on in this turn. */
    | { readonly kind: 'stop'; readonly again: boolean }
    | { readonly kind: 'session-end' }
    /** The harness loaded an instruction file by itself. */
    | { readonly kind: 'loaded'; readonly path: string }
    /** Known to the harness, of no use to us. */
    | { readonly kind: 'other' }
  )

export interface BatchCall {
  readonly id: CallId
  /** The text that the model will get for the call. */
  readonly output: string
}

export type MomentKind = Moment['kind']
export type MomentOf<K extends MomentKind> = Extract<Moment, { readonly kind: K }>
