/** Puts an engine together from its parts: state, stores, harnesses, host, evidence. */
import { performance } from 'node:perf_hooks'
import { homedir } from 'node:os'
import type { Millis } from '../core/id.ts'
import { openEvidence } from '../evidence/reader.ts'
import { OWN_FILES, ownFilesEntry } from '../guard/own-files.ts'
import { HARNESSES } from '../harness/all.ts'
import { standaloneHost } from '../host/standalone/standalone.ts'
import { compile } from '../match/compile.ts'
import { createCompiler } from '../match/recompile.ts'
import type { Paths } from '../paths.ts'
import { StateError, type State } from '../state.ts'
import { checkInThread } from '../state/sqlite/check-thread.ts'
import { openSqliteState } from '../state/sqlite/state.ts'
import { openStores } from '../stores/open.ts'
import { createProjects } from '../stores/project.ts'
import type { Tokens } from '../state/tokens.ts'
import { openLogbook, type OpenedEngine } from './logbook.ts'
import { MomentEngine } from './moment-engine.ts'

export interface OpenOptions {
  readonly paths: Paths
  readonly version: string
  readonly now: () => Millis
  readonly tokens?: Tokens
  readonly env?: NodeJS.ProcessEnv
  readonly onError?: (error: unknown) => void
}

/**
 * Opens the engine. Throws a `StateError` `taken` where another process serves on this state; with any other failure of the state
 * it is disabled: it answers every moment with nothing and health says why (S1).
 */
export function openEngine({ paths, version, now, tokens, env = process.env, onError }: OpenOptions): OpenedEngine {
  const clock = steadyClock(now, () => performance.now())
  const state = openState(paths, clock)
  const home = env['HOME'] || homedir()
  const claudeConfig = env['CLAUDE_CONFIG_DIR'] || undefined
  const engine = new MomentEngine({
    state,
    stores: openStores({
      paths,
      compile,
      recompile: createCompiler(),
      now: clock,
      home,
      builtIn: (stores) => ownFilesEntry({ paths, home, stores, ...(claudeConfig === undefined ? {} : { claudeConfig }) }),
    }),
    harnesses: HARNESSES,
    host: standaloneHost,
    evidence: openEvidence(),
    projectOf: createProjects(),
    home,
    notes: paths.notes,
    version,
    now: clock,
    otherProblems: () => tokens?.problems() ?? [],
    ...(env['CONTEXTMD_TEST_DENY_TEXT'] === 'reason' ? { denyText: 'reason' as const } : {}),
    ...(onError === undefined ? {} : { onError }),
  })
  const logbook = openLogbook({
    state: state instanceof StateError ? null : state,
    checkFile: () => checkInThread(paths.state),
    // whoever reads the log is told what nobody settled
    sweep: () => void engine.log({ newest: true, limit: 0 }),
    // that the built-in entry never fires is as it should be
    entriesInForce: () => engine.entries().flatMap((entry) => (entry.id === OWN_FILES ? [] : [entry.id])),
    now: clock,
  })
  return Object.assign(engine, { logbook })
}

function openState(paths: Paths, now: () => Millis): State | StateError {
  try {
    return openSqliteState({ file: paths.state, lockFile: paths.lock, now })
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
