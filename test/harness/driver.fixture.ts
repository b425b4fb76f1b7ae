/** A harness as the contract plays it: its own events go through the real hooks, and what comes back is read as the harness reads it. */
import type { Profile } from '../../src/core/profile.ts'
import type { Desk } from './desk.fixture.ts'

/** What the model and the person would be given at one moment. */
export interface Told {
  /** Text that is put before the model. */
  readonly text: string
  /** What stands in place of the call's result; null: the call runs. */
  readonly denied: string | null
}

export const NOTHING: Told = { text: '', denied: null }

export interface Call {
  readonly id: string
  readonly command: string
  readonly output?: string
  /** Exit code; default 0. */
  readonly exit?: number
}

/** One conversation. Moments come in the order in which the harness tells them. */
export interface Conversation {
  start(): Promise<Told>
  /** What a person typed; each time under an id of its own, where the harness has one. */
  prompt(text: string): Promise<Told>
  before(call: Call): Promise<Told>
  /** After a call that ran. */
  after(call: Call): Promise<Told>
  /** The model was sent all results of its last reply, the denied ones as told, and answers. */
  answered(denied: readonly { readonly call: Call; readonly told: Told }[]): Promise<void>
  stop(): Promise<Told>
  /** The same event again, as it was: a hook that runs twice. Null where no hook can. */
  again: (() => Promise<Told>) | null
}

export interface Driver {
  readonly profile: Profile
  /** `env`: of the hook, beside what every program has. */
  open(session: string, env?: Readonly<Record<string, string>>): Conversation
  /** An event of a kind that is not known, and a known one with fields that are not: what the hook prints. */
  unknown(session: string): Promise<string>
  /** Something that is no event at all: what the hook prints. Null where no hook takes input. */
  garbage: ((text: string) => Promise<string>) | null
  /** The same with a server that is not there. */
  down(session: string): Conversation
}

export type DriverOf = (desk: Desk) => Driver
