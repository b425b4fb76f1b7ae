/**
 * The whole HTTP interface as one suite, for every server that it stands behind: our own, and those of hosts that mount it.
 *
 * What a server does in its own way is told as its `Door`; all else must be the same.
 */
import { describe } from 'vitest'
import type { Millis } from '../core/id.ts'
import { describeAccess } from './contract-access.fixture.ts'
import { describeCalls } from './contract-calls.fixture.ts'
import { describeBodies } from './contract-body.fixture.ts'
import { describeMoments } from './contract-moment.fixture.ts'
import type { ToldEngine } from './engine.fixture.ts'
import type { Mishap } from './failure.ts'

/**
 * Callers by what they may do: a hook, an agent that reads entries, a person who may do all, one whose token is good for nothing of ours, one whose token was revoked
 * or ran out, and one with a token that nobody issued.
 */
export type Caller = 'poster' | 'agent' | 'person' | 'scopeless' | 'revoked' | 'expired' | 'nobody'

export interface ContractServer {
  readonly address: string
  readonly port: number
  readonly told: ToldEngine
  readonly mishaps: readonly Mishap[]
  /** The header that shows this caller's token. */
  as(caller: Caller): { authorization: string }
  token(caller: Caller): string
  /** As the poster, unless the headers say otherwise. */
  post(path: string, body: string, headers?: Record<string, string>): Promise<Response>
  /** As the person, unless the headers say otherwise. */
  get(path: string, headers?: Record<string, string>): Promise<Response>
  close(): Promise<void>
}

export interface OpenOptions {
  readonly deadlineMs?: number
  readonly now?: () => Millis
}

/** A real server on a free port, closed when the test is over. */
export type OpenServer = (told?: ToldEngine, more?: OpenOptions) => Promise<ContractServer>

/** How a server refuses, in its own words. */
export interface Door {
  /** Body of the answer to a caller without a token, or with one that is not good. */
  readonly unauthorized: object
  /** Body of the answer to a token without the scope. */
  readonly lacksScope: object
  /** What is counted of moments with these tokens (T15). */
  readonly counted: Partial<Record<Caller, string>>
}

export function describeContract(name: string, open: OpenServer, door: Door): void {
  describe(name, () => {
    describeAccess(open, door)
    describeMoments(open)
    describeBodies(open)
    describeCalls(open)
  })
}
