/** Puts an engine together from its parts: state, stores, harnesses, host, evidence. */
import { performance } from 'node:perf_hooks'
import type { Millis } from '../core/id.ts'
import type { Problem } from '../core/problem.ts'
import { openEvidence } from '../evidence/reader.ts'
import { OWN_FILES, ownFilesEntry, type OwnInside } from '../guard/own-files.ts'
import { HARNESSES } from '../harness/all.ts'
import { besideHost } from '../host/beside/beside.ts'
import type { Host } from '../host.ts'
import { compile } from '../match/compile.ts'
import { createCompiler } from '../match/recompile.ts'
import { homeFrom, type Paths } from '../paths.ts'
import { StateError, type State } from '../state.ts'
import { checkInThread } from '../state/sqlite/check-thread.ts'
import { openCheckpoints } from '../state/sqlite/checkpoint-thread.ts'
import { openSqliteState } from '../state/sqlite/state.ts'
import { openStores } from '../stores/open.ts'
import { createProjects } from '../stores/project.ts'
import type { Tokens } from '../state/tokens.ts'
import { hostSettingIn } from './host-setting.ts'
import { openLogbook, type OpenedEngine } from './logbook.ts'
import { MomentEngine } from './moment-engine.ts'
import { startReopening } from './reopening.ts'
import { retentionIn } from './retention.ts'

export interface OpenOptions {
  readonly paths: Paths
  readonly version: string
  readonly now: () => Millis
  readonly tokens?: Tokens
  /** Problems of what stands beside the engine, for health. */
  readonly otherProblems?: () => readonly Problem[]
  readonly env?: NodeJS.ProcessEnv
  /** The host inside whose server this is; closed with the engine. Default: hosts that run beside, standalone for all other sessions. */
  readonly host?: Host
  /** Inside a host: what is ours outside of `paths.data`, for the entry that guards our files. */
  readonly ownInside?: OwnInside
  readonly onError?: (error: unknown) => void
}

/**
 * Opens the engine. Throws a `StateError` `taken` where another process serves on this state; with any other failure of the state
 * it is disabled: it answers every moment with nothing and health says why (S1).
 */
export function openEngine(options: OpenOptions): OpenedEngine {
  const { paths, version, now, tokens, otherProblems = () => [], env = process.env, onError } = options
  const clock = steadyClock(now, () => performance.now())
  const state = openState(paths, clock)
  const home = homeFrom(env)
  const claudeConfig = env['CLAUDE_CONFIG_DIR'] || undefined
  const engine = new MomentEngine({
    state,
    tryAgain: (because, onOpened, onFailed) =>
      startReopening({ file: paths.state, because, open: () => openFile(paths, clock), onOpened, onFailed }),
    retention: retentionIn(paths, env),
    checkpoints: openCheckpoints(paths.state),
    stores: openStores({
      paths,
      compile,
      recompile: createCompiler(),
      now: clock,
      home,
      builtIn: (stores) =>
        ownFilesEntry({
          paths,
          home,
          stores,
          ...(claudeConfig === undefined ? {} : { claudeConfig }),
          ...(options.ownInside === undefined ? {} : { inside: options.ownInside }),
        }),
    }),
    harnesses: HARNESSES,
    host: options.host ?? besideHost({ setting: hostSettingIn(paths, env, clock), env, home, now: clock }),
    evidence: openEvidence(),
    projectOf: createProjects(),
    home,
    notes: paths.notes,
    version,
    now: clock,
    otherProblems: () => [...(tokens?.problems() ?? []), ...otherProblems()],
    ...(env['CONTEXTMD_TEST_DENY_TEXT'] === 'reason' ? { denyText: 'reason' as const } : {}),
    patience: patienceIn(env),
    ...(onError === undefined ? {} : { onError }),
  })
  const logbook = openLogbook({
    state: () => engine.state,
    checkFile: () => checkInThread(paths.state, engine.state?.identity() ?? null),
    // whoever reads the log is told what nobody settled
    sweep: () => void engine.log({ newest: true, limit: 0 }),
    // that the built-in entry never fires is as it should be
    entriesInForce: () => engine.entries().flatMap((entry) => (entry.id === OWN_FILES ? [] : [entry.id])),
    now: clock,
  })
  return Object.assign(engine, { logbook })
}

/** What the canary multiplies every wait and deadline by, so that a row is never red because the machine was busy; else 1. */
export function patienceIn(env: NodeJS.ProcessEnv): number {
  return Number(env['CONTEXTMD_TEST_PATIENCE'] || 1)
}

function openFile(paths: Paths, now: () => Millis): State {
  return openSqliteState({ file: paths.state, lockFile: paths.lock, now })
}

function openState(paths: Paths, now: () => Millis): State | StateError {
  try {
    return openFile(paths, now)
  } catch (error) {
    if (error instanceof StateError && error.code !== 'taken') return error
    throw error
  }
}

/** The clock is set again from the machine's this often, so that it is right after the machine slept. */
const RESET_EVERY_MS = 60_000

/** Milliseconds since the epoch that run evenly: a machine whose clock is set while a reply is on its way loses no reply (law 3). */
function steadyClock(wall: () => Millis, mono: () => number): () => Millis {
  let base = wall() - mono()
  let setAt = mono()
  return () => {
    const now = mono()
    if (now - setAt > RESET_EVERY_MS) {
      base = wall() - now
      setAt = now
    }
    return Math.round(base + now)
  }
}
