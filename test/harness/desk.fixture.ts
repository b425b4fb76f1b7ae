/** A real server with a real engine, state, store and project, all in one temporary folder; closed when the suite is over. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEngine } from '../../src/engine/open.ts'
import type { OpenedEngine } from '../../src/engine/logbook.ts'
import { pathsFrom, type Paths } from '../../src/paths.ts'
import type { Mishap } from '../../src/server/failure.ts'
import { startServer } from '../../src/server/start.ts'
import { openTokens } from '../../src/state/tokens.ts'

/** No wait and no deadline may run out because the machine is busy: nothing is timed here. */
const PATIENCE = '6'
const DEADLINE_MS = 60_000

export interface Desk {
  readonly folder: string
  readonly project: string
  readonly paths: Paths
  readonly port: number
  readonly token: string
  readonly engine: OpenedEngine
  /** What failed and became an answer. */
  readonly mishaps: readonly Mishap[]
  /** Replaces the entries of the store. In force at the next moment. */
  rules(entries: Readonly<Record<string, string>>): void
  close(): Promise<void>
}

export async function openDesk(): Promise<Desk> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'contextmd-contract-')))
  const env = { HOME: folder, CONTEXTMD_DATA: join(folder, 'data'), CONTEXTMD_TEST_PATIENCE: PATIENCE }
  const paths = pathsFrom(env)
  const store = join(paths.config, 'rules')
  const project = join(folder, 'project')
  for (const each of [store, project]) mkdirSync(each, { recursive: true })
  const now = (): number => Date.now()
  const tokens = openTokens(paths.tokens, { now })
  const mishaps: Mishap[] = []
  const engineOf = (): OpenedEngine =>
    openEngine({ paths, version: '0.0.0', now, tokens, env, onError: (error) => void failed.push(error) })
  const failed: unknown[] = []
  let engine: OpenedEngine | null = null
  const server = await startServer({
    paths,
    port: 0,
    deadlineMs: DEADLINE_MS,
    version: '0.0.0',
    now,
    tokens,
    report: (mishap) => void mishaps.push(mishap),
    openEngine: () => (engine = engineOf()),
  })
  const { token } = tokens.issue({ name: 'contract', scopes: ['orchestration:read'], days: 1 })
  return {
    folder,
    project,
    paths,
    port: Number(new URL(server.address).port),
    token,
    // opened by the start
    engine: engine ?? engineOf(),
    mishaps,
    rules(entries) {
      rmSync(store, { recursive: true, force: true })
      mkdirSync(store, { recursive: true })
      for (const [name, text] of Object.entries(entries)) writeFileSync(join(store, `${name}.md`), text)
    },
    async close() {
      await server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
