/**
 * Tells where ContextMD inside this host is: `server.json` in the person's data folder, which hooks, the OpenCode plugin and the command
 * line read. The address is told once it is proven, as a client would ask for it; it is taken back when the host closes.
 *
 * A server beside that lives and proves itself goes first, and so does another host that setup has chosen. Where hooks are set up for a
 * server beside, nothing is told: they would post here with a token that the host refuses, and start that server no more.
 */
import { rmSync } from 'node:fs'
import type { HarnessName, Millis } from '../../core/id.ts'
import type { Problem } from '../../core/problem.ts'
import { readRuntime } from '../../host/t3code/runtime-file.ts'
import { tokenInHookFiles } from '../../install/hook-scripts.ts'
import { readHostToken } from '../../install/host-token.ts'
import type { Paths } from '../../paths.ts'
import { realPathOf } from '../../real-path.ts'
import { isAlive, readServerFile, writeServerFile, type ServerFile } from '../../server/server-file.ts'
import { isOurs, PATIENT_PROOF_MS, portOf } from '../../service/find.ts'
import { TOKEN_PREFIX } from '../../state/tokens.ts'
import { BESIDE_CHOSEN, NOT_CHOSEN, otherProblem, UNWRITABLE } from './announcing-problems.ts'
import type { OwnKey } from './own-key.ts'

const HARNESSES: readonly HarnessName[] = ['claude-code', 'codex', 'grok', 'opencode']
/** A host writes its own runtime file right after its listener is up; a start takes some seconds. */
const SOON_MS = 250
const SOON_LOOKS = 240
/** Another server may have ended, or have written over our line. */
const LATER_MS = 2_000

export interface AnnounceOptions {
  /** The person's own. */
  readonly paths: Pick<Paths, 'data' | 'server' | 'hooks'>
  readonly key: OwnKey
  /** The host's own state folder. */
  readonly stateDir: string
  readonly version: string
  readonly now: () => Millis
}

export interface Announcer {
  /** A request came in at this port. */
  saw(port: number): void
  problems(): readonly Problem[]
  /** Takes the address back, and tells it no more. */
  close(): void
}

type Looked =
  /** The address stands there. */
  | { readonly state: 'told' }
  /** The host does not answer yet, or another server has not answered yet. */
  | { readonly state: 'waiting' }
  | { readonly state: 'left'; readonly problem: Problem }

export function announce({ paths, key, stateDir, version, now }: AnnounceOptions): Announcer {
  const startedAt = now()
  let port: number | null = null
  let looked: Looked = { state: 'waiting' }
  let looks = 0
  /** Lines of `server.json` that name others: one that did not answer, one that has proven itself. */
  let silent: string | null = null
  let proven: string | null = null
  let timer: NodeJS.Timeout | undefined
  let isLooking = false
  let isClosed = false
  /** A question of ours that is open would hold up the host: it waits for all connections when it stops. */
  const ending = new AbortController()

  async function look(): Promise<Looked> {
    const runtime = readRuntime(stateDir)
    const at = port ?? (runtime?.pid === process.pid ? runtime.port : null)
    if (at === null) return { state: 'waiting' }
    key.refresh()
    const held = key.current()
    if (held === null) return { state: 'left', problem: UNWRITABLE }
    const chosen = readHostToken(paths.data)
    const isChosen = chosen !== null && realPathOf(chosen.stateDir) === realPathOf(stateDir)
    const named = readServerFile(paths.server)
    const own: ServerFile = { pid: process.pid, address: `http://127.0.0.1:${at}`, version, startedAt, startedAs: 'host' }
    if (chosen !== null && !isChosen) {
      takeBack()
      return { state: 'left', problem: NOT_CHOSEN }
    }
    if (chosen === null && postBeside(paths.hooks)) {
      takeBack()
      return { state: 'left', problem: BESIDE_CHOSEN }
    }
    if (named !== null && isSame(named, own)) return { state: 'told' }
    if (named !== null && !(isChosen && named.startedAs === 'host')) {
      const other = await whoIs(named, held)
      if (other === 'proven') return { state: 'left', problem: otherProblem(named) }
      if (other === 'silent') return { state: 'waiting' }
    }
    if (!(await isOurs(at, held, PATIENT_PROOF_MS, ending.signal)) || isClosed) return { state: 'waiting' }
    try {
      writeServerFile(paths.server, own)
      return { state: 'told' }
    } catch {
      // a data folder that can't be written keeps nobody from serving (S1)
      return { state: 'left', problem: UNWRITABLE }
    }
  }

  /** One that lives and is silent gets a second look: it may be busy. */
  async function whoIs(named: ServerFile, held: string): Promise<'proven' | 'silent' | 'gone'> {
    const isOwnLine = named.pid === process.pid && named.startedAs === 'host'
    if (isOwnLine || !isAlive(named.pid)) return 'gone'
    const line = `${named.pid} ${named.address} ${named.startedAt}`
    // a server changes its line before it ends
    if (proven === line) return 'proven'
    if (await isOurs(portOf(named), held, PATIENT_PROOF_MS, ending.signal)) {
      proven = line
      return 'proven'
    }
    const isSecond = silent === line
    silent = line
    return isSecond ? 'gone' : 'silent'
  }

  async function lookAgain(): Promise<void> {
    if (isClosed || isLooking) return
    clearTimeout(timer)
    isLooking = true
    looks += 1
    // a folder that is not there at this instant is no reason to end
    looked = await look().catch(() => ({ state: 'waiting' as const }))
    isLooking = false
    if (isClosed) return
    timer = setTimeout(lookAgain, looked.state === 'waiting' && looks < SOON_LOOKS ? SOON_MS : LATER_MS).unref()
  }

  function takeBack(): void {
    const named = readServerFile(paths.server)
    if (named?.pid === process.pid && named.startedAs === 'host' && named.startedAt === startedAt) rmSync(paths.server, { force: true })
  }

  timer = setTimeout(lookAgain, SOON_MS).unref()
  return {
    saw(seen) {
      if (seen === port || looked.state === 'told') return
      port = seen
      void lookAgain()
    },
    problems: () => (looked.state === 'left' ? [looked.problem] : []),
    close() {
      isClosed = true
      ending.abort()
      clearTimeout(timer)
      try {
        takeBack()
      } catch {
        // it names a process that is gone soon, and then counts for nothing
      }
    },
  }
}

/** True if hooks show a token of our own, which only a server beside takes. */
function postBeside(hooks: string): boolean {
  return HARNESSES.some((harness) => tokenInHookFiles(hooks, harness)?.startsWith(TOKEN_PREFIX) === true)
}

function isSame(one: ServerFile, other: ServerFile): boolean {
  return one.pid === other.pid && one.address === other.address && one.startedAt === other.startedAt && one.startedAs === other.startedAs
}
