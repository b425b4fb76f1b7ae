/** Looks through a state file without owning it: beside a server that runs, or where none does. Changes nothing. */
import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { Problem } from '../../core/problem.ts'
import { STATE_CURES, StateError } from '../../state.ts'
import { check } from './check.ts'
import { asStateError } from './failure.ts'
import { identityWithLog } from './file-identity.ts'
import { KNOWN_FORM, formOf } from './migrate.ts'
import { prepareStatements } from './statements.ts'

/** A writer holds the file for some milliseconds only; this one may wait. */
const BUSY_TIMEOUT_MS = 2_000

/**
 * Empty: all is well. A file that can't be read is a problem too.
 *
 * `opened`: `State.identity`, where this very process has the state open. Another file, or the file beside another log, is not looked at:
 * SQLite would read the one by the other's index (sqlite.org/howtocorrupt.html).
 */
export function checkFile(file: string, opened: string | null = null): readonly Problem[] {
  const isAnother = (): boolean => opened !== null && identityWithLog(file) !== opened
  try {
    if (statSync(file, { throwIfNoEntry: false }) === undefined) return [missing(file)]
    if (isAnother()) return [another(file)]
    using database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
    const form = formOf(database)
    // the log is opened by its name, at this first question
    if (isAnother()) return [another(file)]
    if (form > KNOWN_FORM) return [newer(file)]
    if (form < KNOWN_FORM) return [older(file)]
    // one view of all tables, whatever is written meanwhile
    database.exec('BEGIN')
    return check({ database, statements: prepareStatements(database) }, file)
  } catch (thrown) {
    const error = asStateError(thrown, file)
    if (!(error instanceof StateError)) throw error
    return [{ code: `state_${error.code}`, severity: 'error', message: withoutCure(error), cure: STATE_CURES[error.code], file }]
  }
}

function withoutCure(error: StateError): string {
  return error.message.replace(STATE_CURES[error.code], '').trim()
}

function missing(file: string): Problem {
  return {
    code: 'state_missing',
    severity: 'info',
    message: 'There is no state file yet: nothing was served.',
    cure: 'Start the server: `contextmd serve` makes it.',
    file,
  }
}

function another(file: string): Problem {
  return {
    code: 'state_failed',
    severity: 'warning',
    message: 'Another file was put in the place of the state, or of its log, while that was in use.',
    cure: 'The server opens it by itself at the next call. Then look again.',
    file,
  }
}

function older(file: string): Problem {
  return {
    code: 'state_older',
    severity: 'warning',
    message: 'An older ContextMD wrote the state file, so it can not be looked through yet.',
    cure: 'Start the server once: `contextmd serve` brings the file up to date. Then look again.',
    file,
  }
}

function newer(file: string): Problem {
  return {
    code: 'state_newer',
    severity: 'error',
    message: 'A newer ContextMD wrote the state file.',
    cure: STATE_CURES.newer,
    file,
  }
}
