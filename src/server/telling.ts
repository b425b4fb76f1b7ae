/**
 * Tells others where the server is and that it is ours: `server.json`, the key of its proofs, the command line's own token.
 *
 * Should somebody remove the data folder while it serves, or put older files there, they are written anew. One in the background ends
 * instead: that is how it is told to (service/gone.ts), and the next session starts another.
 */
import { existsSync, mkdirSync } from 'node:fs'
import type { Millis } from '../core/id.ts'
import type { Problem } from '../core/problem.ts'
import type { Paths } from '../paths.ts'
import { ensureKey, proofOf, readKey } from '../proof.ts'
import type { Tokens } from '../state/tokens.ts'
import { keepTold } from './keep-told.ts'
import { ensureOwnToken, isOwnTokenGood } from './own-token.ts'
import type { Prove } from './proof.ts'
import { disownServerFile, isAlive, readServerFile, writeServerFile, type StartedAs } from './server-file.ts'

/** That tokens were removed is shown this long. */
const SHOWN_FOR_MS = 60 * 60 * 1_000

export interface TellingOptions {
  readonly paths: Paths
  readonly tokens: Pick<Tokens, 'check' | 'issue'>
  readonly version: string
  readonly startedAs: StartedAs
  readonly now: () => Millis
  /** False while another server owns the state: that one is to be found. */
  readonly ownsState: () => boolean
  /** Gets what could not be written: that must not stop the serving (S1), moments are answered all the same. */
  readonly onError: (thrown: unknown) => void
}

export interface Telling {
  readonly prove: Prove
  /** For health. */
  problems(): readonly Problem[]
  /** Tells it all, and keeps it told. */
  begin(port: number, address: string): void
  /** Whoever has proven this server must ask again, and nothing is proven any more. */
  end(): void
}

export function openTelling({ paths, tokens, version, startedAs, now, ownsState, onError }: TellingOptions): Telling {
  let port = 0
  let key: string | null = null
  let stop = (): void => {}
  let removedAt: Millis | null = null

  function begin(at: number, address: string): void {
    port = at
    const startedAt = now()
    const where = {
      isThere() {
        const named = readServerFile(paths.server)
        if (named === null) return !ownsState()
        if (named.pid === process.pid) return key !== null && readKey(paths.key) === key
        // nobody else can have this address: who wrote another process to it was mistaken
        if (named.address === address) return false
        // of one that is gone, or from a backup, where one that took the state from us would have written later
        const isOver = !isAlive(named.pid) || named.startedAt < startedAt
        return !isOver || !ownsState()
      },
      write() {
        mkdirSync(paths.data, { recursive: true, mode: 0o700 })
        key = ensureKey(paths.key)
        writeServerFile(paths.server, { pid: process.pid, address, version, startedAt, startedAs })
      },
    }
    let hasTokens = false
    const isRemoved = (): boolean => hasTokens && !existsSync(paths.tokens)
    const ownToken = {
      isThere: () => (isOwnTokenGood(paths.ownToken, tokens) && !isRemoved()) || !ownsState(),
      write() {
        if (isRemoved()) removedAt = now()
        ensureOwnToken(paths.ownToken, tokens)
        // under `contextmd run` tokens are those of another folder
        hasTokens = existsSync(paths.tokens)
      },
    }
    stop = keepTold([where, ownToken], startedAs !== 'background', onError)
  }

  return {
    prove: (nonce) => (key === null ? null : proofOf(nonce, port, key)),
    problems: () => (removedAt === null || now() - removedAt >= SHOWN_FOR_MS ? [] : [removed(paths)]),
    begin,
    end() {
      stop()
      key = null
      disownServerFile(paths.server)
    },
  }
}

function removed({ data }: Pick<Paths, 'data'>): Problem {
  return {
    code: 'data_removed',
    severity: 'error',
    message:
      'The data folder, or the tokens in it, was removed while the server ran. The server is found again, with a new token of the command line; scripts and tokens of hooks are gone, and so is the state if that was removed.',
    cure: 'Run `contextmd setup`: until then hooks are refused, or not there.',
    file: data,
  }
}
