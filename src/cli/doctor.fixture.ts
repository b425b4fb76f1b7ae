/** A machine for doctor: a home, a project, programs that tell their versions, and a real server on a free port. */
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Finding } from '../doctor/finding.ts'
import { HARNESSES as KNOWN } from '../harness/all.ts'
import { pathsFrom } from '../paths.ts'
import type { RunningServer } from '../server/start.ts'
import { portOf } from '../service/find.ts'
import { openTokens } from '../state/tokens.ts'
import type { Io } from './command.ts'
import { diagnose } from './doctor.ts'
import { fix } from './doctor-fix.ts'
import { allFindings } from './doctor-lines.ts'
import { serverStarter } from './serve-start.ts'
import { standIn } from './setup-codex.fixture.ts'
import { loadSetup } from './setup-harness.ts'
import { parseSetupOptions } from './setup-options.ts'

const PROGRAMS = { 'claude-code': 'claude', codex: 'codex', grok: 'grok', opencode: 'opencode' } as const

export class Machine {
  readonly home = realpathSync(mkdtempSync(join(tmpdir(), 'contextmd-doctor-')))
  readonly project = join(this.home, 'project')
  env: NodeJS.ProcessEnv
  /** What commands printed. */
  printed = ''
  server: RunningServer | null = null

  constructor() {
    const bin = join(this.home, 'bin')
    mkdirSync(this.project, { recursive: true })
    // hooks and server of a busy machine get all the time they need
    const git = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' }
    this.env = {
      HOME: this.home,
      PATH: `${bin}:${process.env['PATH'] ?? ''}`,
      CONTEXTMD_HOOK_TIMEOUT: '30',
      CONTEXTMD_TEST_PATIENCE: '30',
      ...git,
    }
  }

  get paths() {
    return pathsFrom(this.env)
  }

  get tokens() {
    return openTokens(this.paths.tokens, { now: () => Date.now() })
  }

  get io(): Io {
    const write = (text: string) => (this.printed += text)
    return { env: this.env, stdout: { write }, stderr: { write } }
  }

  get port(): number {
    if (this.server === null) throw new Error('no server')
    return portOf(this.server)
  }

  /** Puts its program there; `version`: default the proven one. */
  install(harness: keyof typeof PROGRAMS, version?: string): void {
    const proven = KNOWN.find(({ profile }) => profile.name === harness)?.profile.proven.to ?? ''
    const file = join(this.home, 'bin', PROGRAMS[harness])
    const rest = harness === 'codex' ? `exec '${standIn(join(this.home, 'stand-in', 'codex'))}' "$@"` : 'exit 1'
    this.write(file, `#!/bin/sh\nif [ "$1" = --version ]; then echo "${harness} ${version ?? proven}"; exit 0; fi\n${rest}\n`)
    chmodSync(file, 0o755)
  }

  write(file: string, text: string): string {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    return file
  }

  /** To everybody on the machine. */
  open(file: string): void {
    chmodSync(file, 0o644)
  }

  async serve(): Promise<void> {
    mkdirSync(this.paths.data, { recursive: true, mode: 0o700 })
    const start = await serverStarter({ paths: this.paths, startedAs: 'terminal', io: this.io })
    this.server = await start(0)
  }

  /** As `contextmd setup …` in the project. */
  async setUp(...argv: string[]): Promise<void> {
    const options = parseSetupOptions([...argv, '--yes'])
    if (options.harness === null) throw new Error('name one')
    const { setUp } = await loadSetup(options.harness)
    await setUp(this.server === null ? options : { ...options, port: options.port ?? this.port }, this.io, this.project)
  }

  async diagnose(): Promise<readonly Finding[]> {
    return allFindings(await diagnose(this.io, this.project))
  }

  async fix(): Promise<void> {
    await fix(await this.diagnose(), this.io, this.project)
  }

  async end(): Promise<void> {
    await this.server?.close()
    rmSync(this.home, { recursive: true, force: true })
  }
}
