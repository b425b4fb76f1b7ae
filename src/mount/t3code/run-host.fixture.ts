/** A small host as a person's: it writes its runtime file once it listens, and takes it back on a clean stop. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Layer } from 'effect'
import { hostServices, startSmallHost, type HostFolders } from './small-host.fixture.ts'
import { contextmd } from './stable.ts'

export interface RunningHost {
  readonly pid: number
  readonly port: number
  stop(): Promise<void>
}

export interface HostWay {
  readonly port?: number
  /** `bare`: without ContextMD. Else a scope that its auth gives in place of the one that was asked for. */
  readonly way?: string | undefined
}

export async function runHost(folders: HostFolders, { port = 0, way = '' }: HostWay = {}): Promise<RunningHost> {
  const runtime = join(folders.stateDir, 'server-runtime.json')
  const mounted = way === 'bare' ? Layer.empty : contextmd()
  const given = way === 'bare' || way === '' ? {} : { givenScope: way }
  const host = await startSmallHost(folders, mounted, hostServices(folders), { port, serverVersion: '1.2.3', ...given })
  const { pid } = process
  const told = { version: 1, pid, host: '127.0.0.1', port: host.port, origin: host.address, startedAt: new Date().toISOString() }
  writeFileSync(runtime, JSON.stringify(told))
  let ending: Promise<void> | null = null
  return {
    pid,
    port: host.port,
    stop: () => (ending ??= host.close().then(() => rmSync(runtime, { force: true }))),
  }
}
