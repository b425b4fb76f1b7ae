/** A person's home with a host in it, the host's program on the PATH, and our command line. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { onTestFinished, vi } from 'vitest'
import { run as runCommand, type Ran } from '../../cli/run.fixture.ts'
import { runCommandLine } from '../../cli/run.ts'
import { pathsFrom, type Paths } from '../../paths.ts'
import { isAlive, readServerFile, type ServerFile } from '../../server/server-file.ts'
import { runHost } from './run-host.fixture.ts'
import type { HostFolders } from './small-host.fixture.ts'
import { newWorld, type World } from './world.fixture.ts'

const HOST = fileURLToPath(new URL('host-process.fixture.ts', import.meta.url))
const PROGRAM = fileURLToPath(new URL('t3-program.fixture.ts', import.meta.url))

/** Between two looks at what another process does. */
const LOOK_EVERY_MS = 20

export interface Host {
  readonly pid: number
  readonly port: number
  /** A clean stop. */
  stop(): Promise<void>
}

export interface HostProcess extends Host {
  isAlive(): boolean
  /** A crash. */
  crash(): Promise<void>
}

interface Given {
  /** A function may also fail, as a person does who breaks off. */
  readonly answer?: string | ((question: string) => Promise<string>)
  readonly input?: string
  /** Called with each piece of what is printed, before it counts. */
  readonly onOut?: (text: string) => void
}

export interface HostHome {
  readonly world: World
  readonly env: NodeJS.ProcessEnv
  readonly paths: Paths
  /** A host in the test's own process, which is quick. `way`: as `host-process.fixture.ts` takes it. Resolves when it listens. */
  startHost(way?: string, folders?: HostFolders): Promise<Host>
  /** One in a process of its own. */
  startHostProcess(way?: string, folders?: HostFolders): Promise<HostProcess>
  /** Resolves when `server.json` names this host, and gives it. */
  told(host: Host): Promise<ServerFile>
  /** `contextmd …`. */
  contextmd(...argv: string[]): Promise<Ran>
  /** With an answer to all that is asked, or with a standard input. */
  contextmdWith(io: Given, ...argv: string[]): Promise<Ran>
}

/** `hasProgram`: `t3` is on the PATH. */
export function newHostHome(hasProgram = true): HostHome {
  const world = newWorld()
  const bin = join(world.home, 'bin')
  mkdirSync(bin)
  if (hasProgram) {
    writeFileSync(join(bin, 't3'), `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`)
    chmodSync(join(bin, 't3'), 0o755)
  }
  const env: NodeJS.ProcessEnv = {
    ...world.env,
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    // a busy machine gets all the time that it needs
    CONTEXTMD_HOOK_TIMEOUT: '30',
    CONTEXTMD_TEST_PATIENCE: '10',
  }
  const paths = pathsFrom(env)
  return {
    world,
    env,
    paths,
    startHost: (way, folders = world) => startHostHere(folders, env, way),
    startHostProcess: (way, folders = world) => startHostProcess(folders, env, way),
    async told(host) {
      for (;;) {
        const named = readServerFile(paths.server)
        if (named?.pid === host.pid && named.address.endsWith(`:${host.port}`)) return named
        await pause(LOOK_EVERY_MS)
      }
    },
    contextmd: (...argv) => runCommand(argv, env),
    async contextmdWith({ answer, input, onOut }, ...argv) {
      let [out, err] = ['', '']
      const asked = answer === undefined ? {} : { ask: typeof answer === 'string' ? async () => answer : answer }
      const given = input === undefined ? {} : { input: async () => input }
      const stdout = { write: (text: string) => (onOut?.(text), (out += text)) }
      const stderr = { write: (text: string) => (err += text) }
      return { code: await runCommandLine(argv, { stdout, stderr, env, ...asked, ...given }), out, err }
    },
  }
}

async function startHostHere(folders: HostFolders, env: NodeJS.ProcessEnv, way?: string): Promise<Host> {
  // the mount sees the environment of its host
  for (const [name, value] of Object.entries({ CONTEXTMD_DATA: '', CONTEXTMD_SERVING_CONFIG: '', ...env })) vi.stubEnv(name, value)
  const host = await runHost(folders, { way })
  onTestFinished(async () => {
    vi.unstubAllEnvs()
    await host.stop()
  })
  return host
}

async function startHostProcess({ stateDir, database }: HostFolders, env: NodeJS.ProcessEnv, way = ''): Promise<HostProcess> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', HOST, stateDir, database, way], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const [first] = (await Promise.race([once(child.stdout, 'data'), ended.then(() => ['it ended'])])) as [Buffer | string] // as Node documents
  const port = Number(String(first).trim())
  if (!Number.isInteger(port) || child.pid === undefined) throw new Error(`no host: ${String(first)}`)
  const { pid } = child
  return {
    pid,
    port,
    isAlive: () => child.exitCode === null && child.signalCode === null && isAlive(pid),
    async stop() {
      child.stdin.end()
      await ended
    },
    async crash() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
