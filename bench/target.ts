/** What moments are posted to, side by side: real servers with stores of several sizes, and the bare echo. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openBareClient, type BareClient } from './bare-client.ts'
import { cpuOf, memoryOf } from './machine.ts'
import { MOMENT_PATH, openPlace, type Place } from './place.ts'
import { startServerProcess } from './process.ts'
import type { Session } from './session.ts'

const ECHO = fileURLToPath(new URL('./echo-server.ts', import.meta.url))

export interface Target {
  readonly name: string
  /** Null for the echo. */
  readonly place: Place | null
  readonly port: number
  /** From the start of the process until it serves all entries. */
  readonly loadedMs: number
  client(): Promise<BareClient>
  /** A session that nobody has heard of. */
  session(): Session
  memoryMB(): number | null
  /** Milliseconds of processor time so far. */
  cpuMs(): number | null
  close(): Promise<void>
}

let sessions = 0

export async function serverTarget(entries: number, nodeArgs: readonly string[] = []): Promise<Target> {
  const place = await openPlace(entries, nodeArgs)
  const { port, pid } = place.server
  return {
    name: `${entries.toLocaleString('en-US')} entries`,
    place,
    port,
    loadedMs: place.loadedMs,
    client: () => openBareClient(port, MOMENT_PATH, place.token),
    session: () => newSession(place.root, place.project),
    memoryMB: () => memoryOf(pid),
    cpuMs: () => cpuOf(pid),
    close: () => place.close(),
  }
}

export async function echoTarget(): Promise<Target> {
  const root = mkdtempSync(join(tmpdir(), 'contextmd-echo-'))
  const project = join(root, 'project')
  mkdirSync(project)
  const { port, pid, startedMs, close } = await startServerProcess([ECHO, join(root, 'echo.sqlite')], {})
  return {
    name: 'bare echo, one commit',
    place: null,
    port,
    loadedMs: startedMs,
    client: () => openBareClient(port, MOMENT_PATH, 'none'),
    session: () => newSession(root, project),
    memoryMB: () => memoryOf(pid),
    cpuMs: () => cpuOf(pid),
    async close() {
      await close()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

function newSession(root: string, project: string): Session {
  sessions += 1
  return { id: `${sessions.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`, root, project }
}
