/** The service manager of this machine, if it has one that runs services of a user: what it needs, and how it is called. */
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { homeFrom } from '../paths.ts'
import { LABEL, plistFile, plistText, readPlist } from './launchd.ts'
import { readUnit, UNIT, unitFile, unitText } from './systemd.ts'
import type { Installed, ServiceWish } from './wish.ts'

/** A manager answers in milliseconds; a start waits until the program runs. */
const CALL_TIMEOUT_MS = 30_000

/** A program and its arguments. */
export type Call = readonly [string, ...string[]]

export interface Manager {
  readonly name: 'systemd' | 'launchd'
  /** The file that names the service. */
  readonly file: string
  /** What the manager itself makes of it, to start it at a login. */
  readonly links: readonly string[]
  text(wish: ServiceWish): string
  /** What such a file says. */
  read(text: string): Installed
  /** True if the manager of this user can be reached from here. */
  readonly reach: Call
  /** Make it read the file, start the service now and at each login. */
  readonly start: readonly Call[]
  /** Start it if it does not run. */
  readonly wake: Call
  /** May fail: it may not be loaded. */
  readonly stop: readonly Call[]
  /** Once the file is gone. */
  readonly forget: readonly Call[]
  /** Ends with 0 while the service runs. */
  readonly look: Call
}

/** Null where there is none that we know. `uid`: number of the user. */
export function managerOf(platform: NodeJS.Platform, env: NodeJS.ProcessEnv, uid = process.getuid?.() ?? 0): Manager | null {
  const home = homeFrom(env)
  switch (platform) {
    case 'linux':
      return {
        name: 'systemd',
        file: unitFile(env, home),
        links: [join(dirname(unitFile(env, home)), 'default.target.wants', UNIT)],
        text: unitText,
        read: readUnit,
        reach: ['systemctl', '--user', 'show-environment'],
        start: [
          ['systemctl', '--user', 'daemon-reload'],
          ['systemctl', '--user', 'enable', UNIT],
          ['systemctl', '--user', 'restart', UNIT],
        ],
        wake: ['systemctl', '--user', 'start', UNIT],
        stop: [['systemctl', '--user', 'disable', '--now', UNIT]],
        forget: [['systemctl', '--user', 'daemon-reload']],
        look: ['systemctl', '--user', 'is-active', '--quiet', UNIT],
      }
    case 'darwin':
      return {
        name: 'launchd',
        file: plistFile(home),
        links: [],
        text: plistText,
        read: readPlist,
        reach: ['launchctl', 'print', `gui/${uid}`],
        start: [['launchctl', 'bootstrap', `gui/${uid}`, plistFile(home)]],
        wake: ['launchctl', 'kickstart', `gui/${uid}/${LABEL}`],
        stop: [['launchctl', 'bootout', `gui/${uid}/${LABEL}`]],
        forget: [],
        look: ['launchctl', 'print', `gui/${uid}/${LABEL}`],
      }
    default:
      return null
  }
}

/** `missing`: there is no such program. */
export type Called = { readonly ok: true } | { readonly ok: false; readonly why: string; readonly isMissing: boolean }

/** Runs the call with the environment of the person. */
export function makeCall([program, ...args]: Call, env: NodeJS.ProcessEnv): Called {
  const ran = spawnSync(program, args, { env, encoding: 'utf8', timeout: CALL_TIMEOUT_MS, stdio: ['ignore', 'pipe', 'pipe'] })
  if (ran.status === 0) return { ok: true }
  const error: NodeJS.ErrnoException | undefined = ran.error
  const why = ran.stderr?.trim().split('\n')[0] || error?.message || `exit code ${ran.status}`
  return { ok: false, why, isMissing: error?.code === 'ENOENT' }
}

/** As a person types it. */
export function asTyped(call: Call): string {
  return call.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ')
}
