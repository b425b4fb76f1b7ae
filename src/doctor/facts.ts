/** What doctor's checks are told. Whoever gathers it reads files and asks programs; the checks only look at it. */
import type { HarnessName } from '../core/id.ts'
import type { Profile } from '../core/profile.ts'
import type { SetupScope } from '../install/install.ts'
import type { TokenCheck } from '../state/tokens.ts'

/** One place in which a harness has hooks of ours, or should have them. */
export interface SetupFacts {
  /** `plugin`: the plugin package of the harness. */
  readonly way: SetupScope | 'plugin'
  readonly project: string | null
  readonly file: string
  readonly isThere: boolean
  /** It stands in setup's records. */
  readonly isRecorded: boolean
  /** What a setup would renew. */
  readonly stale: readonly ('hooks' | 'scripts' | 'token')[]
  readonly port: number
  /** The harness itself posts to this port and can't look for the server. */
  readonly isFixed: boolean
  readonly token: TokenFacts
  readonly obstacles: readonly string[]
  /** Why the file can't be read or edited; null if it can. */
  readonly error: string | null
}

export type TokenFacts =
  /** The hooks show none. */
  | { readonly state: 'none' }
  /** `expiresAt` null: unknown. */
  | { readonly state: TokenCheck; readonly expiresAt: number | null }

/** Our endpoint for agents in one list of MCP servers. */
export interface AgentFacts {
  readonly scope: SetupScope
  readonly project: string | null
  readonly file: string
  readonly state:
    /** It was written there, and is no more, or another server has its name. */
    | { readonly kind: 'gone' }
    | { readonly kind: 'broken'; readonly why: string }
    | { readonly kind: 'there'; readonly port: number; readonly token: TokenCheck; readonly isStale: boolean }
}

/** Hooks or plugins of others that are asked before a tool, as ours are. */
export interface OtherHooks {
  readonly file: string
  readonly count: number
}

/** `state`: of Codex's own trust in our hooks. */
export type TrustFacts =
  | { readonly state: 'trusted' }
  | { readonly state: 'untrusted' | 'off'; readonly hooks: number }
  | { readonly state: 'unseen' }
  /** Nobody could be asked. */
  | { readonly state: 'unknown'; readonly why: string }

/** What became of a test moment that was sent through an installed hook. */
export interface ProbeFacts {
  /** For people: `command hook`, `http hook`, `plugin`. */
  readonly way: string
  /** Events that use this hook. */
  readonly events: readonly string[]
  readonly outcome: ProbeOutcome
}

export type ProbeOutcome =
  /** The very answer came back. `ms`: with the start of its processes. */
  | { readonly state: 'answered'; readonly ms: number }
  /** It ended well and gave nothing. */
  | { readonly state: 'silent' }
  /** It gave something else than the answer. */
  | { readonly state: 'garbled' }
  /** What came back says that the event was understood as something else. */
  | { readonly state: 'misunderstood'; readonly text: string }
  | { readonly state: 'late'; readonly limitMs: number }
  | { readonly state: 'failed'; readonly exitCode: number | null; readonly why: string }
  | { readonly state: 'refused'; readonly status: number; readonly why: string }
  /** It could not be sent. */
  | { readonly state: 'skipped'; readonly why: string }

export interface HarnessFacts {
  readonly harness: HarnessName
  readonly profile: Profile
  /** Its program; null: none was found. */
  readonly program: string | null
  readonly version: string | null
  readonly setups: readonly SetupFacts[]
  readonly agents: readonly AgentFacts[]
  readonly others: readonly OtherHooks[]
  /** Null where the harness asks for no trust. */
  readonly trust: TrustFacts | null
  readonly probes: readonly ProbeFacts[]
  /** Moments that passed without us in the last days, by cause; null: the server could not be asked. */
  readonly missed: Readonly<Record<string, number>> | null
  /** Settings with a token of ours that others on the machine may read. */
  readonly exposed: readonly string[]
  /** What keeps the agent from reading the files that a held call names. */
  readonly unreadable: readonly string[]
}

/** The environment that hooks inherit. */
export interface EnvironmentFacts {
  /** What the hook script would post with: the first of these that is on the PATH. */
  readonly client: 'curl' | 'wget' | 'node' | null
  /** Variables that name a proxy, where none excludes 127.0.0.1. */
  readonly proxies: readonly string[]
  /** `CONTEXTMD_OFF` is set. */
  readonly isOff: boolean
}
