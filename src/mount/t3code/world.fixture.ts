/**
 * The world of a small host for tests: its folder, its database from the schema and the sample rows, and who may call it.
 *
 * Nothing here is of Effect, so that hosts of both generations are built on it.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { onTestFinished } from 'vitest'
import type { Caller } from '../../server/contract.fixture.ts'

export { authenticate, isRefusal, type HostRefusal, type HostSession } from './host-auth.fixture.ts'

const SQL = new URL('../../host/t3code/fixtures/', import.meta.url)

export interface World {
  readonly home: string
  /** The host's own state folder. */
  readonly stateDir: string
  readonly database: string
  /** Another connection, as other parts of the host have none, but the test has: what it writes is committed at once. */
  readonly writer: DatabaseSync
  /** Settings and stores of the person. */
  readonly env: NodeJS.ProcessEnv
  readonly rules: string
}

/** In a temporary folder, gone when the test is over. */
export function newWorld(): World {
  const home = mkdtempSync(join(tmpdir(), 'contextmd-host-'))
  const stateDir = join(home, '.t3', 'userdata')
  const rules = join(home, 'config', 'contextmd', 'rules')
  for (const folder of [stateDir, rules]) mkdirSync(folder, { recursive: true })
  const database = join(stateDir, 'statev2.sqlite')
  writeFileSync(database, (sample ??= sampleDatabase(join(home, 'sample.sqlite'))))
  const writer = new DatabaseSync(database, { timeout: 5_000 })
  onTestFinished(() => {
    writer.close()
    rmSync(home, { recursive: true, force: true })
  })
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, 'config'), XDG_DATA_HOME: join(home, 'data') }
  return { home, stateDir, database, writer, env, rules }
}

/** Its bytes, made once: a hundred statements on a real disk take a while. */
let sample: Buffer | null = null

function sampleDatabase(file: string): Buffer {
  const database = new DatabaseSync(file)
  for (const name of ['schema.sql', 'sample-rows.sql']) database.exec(readFileSync(new URL(name, SQL), 'utf8'))
  // the last connection moves the WAL into the file
  database.close()
  return readFileSync(file)
}

export const hostToken = (caller: Caller): string => `t3_${caller}`
