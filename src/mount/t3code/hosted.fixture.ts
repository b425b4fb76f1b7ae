/** A harness that runs inside a small host, with the real engine mounted by the host's one entry. The test plays harness and host. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished, vi } from 'vitest'
import type { LoggedMoment } from '../../state.ts'
import { hostToken, newWorld, type World } from './world.fixture.ts'

export interface StartedHost {
  readonly address: string
  /** Runs something while another part of the host is in a transaction. */
  busy(during: () => Promise<void>): Promise<void>
  close(): Promise<void>
}

interface HealthTold {
  readonly state: string
  readonly problems: readonly { readonly code: string; readonly message: string }[]
  readonly counters?: Readonly<Record<string, number>>
}

export interface Told {
  readonly status: number
  readonly isDenied: boolean
  /** The whole answer, as text. */
  readonly text: string
}

export interface Hosted {
  readonly world: World
  readonly host: StartedHost
  /** Posts an event of Claude Code for a native session. */
  tell(session: string, event: string, more?: object): Promise<Told>
  /** A `git commit` is about to run. */
  commit(session: string, call: string): Promise<Told>
  log(): Promise<readonly LoggedMoment[]>
  health(): Promise<HealthTold>
}

/** Holds a commit until its text is known; inline. */
const COMMIT_RULE = '---\ntitle: Commit messages\nmust-know: true\nwhen:\n  - command: git commit\n---\nUse Conventional Commits.\n'

/** A session that no test asks about. */
const WARM = 'S-WARM'
/** A machine that is late more often than that is not busy but broken. */
const MOST_POSTS = 20

/**
 * `prepare` may spoil the world before the host starts. A first moment has gone through when it resolves, since the first one of all
 * takes the longest; `isIdle`: none has.
 */
export async function openHosted(
  start: (world: World) => Promise<StartedHost>,
  prepare: (world: World) => void = () => {},
  isIdle = false,
): Promise<Hosted> {
  const world = newWorld()
  for (const [name, value] of Object.entries({ CONTEXTMD_DATA: '', CONTEXTMD_SERVING_CONFIG: '', ...world.env })) vi.stubEnv(name, value)
  const project = join(world.home, 'project')
  mkdirSync(project)
  writeFileSync(join(world.rules, 'commit.md'), COMMIT_RULE)
  prepare(world)
  const host = await start(world)
  onTestFinished(async () => {
    vi.unstubAllEnvs()
    await host.close()
  })
  const as = (caller: 'poster' | 'person') => ({ authorization: `Bearer ${hostToken(caller)}` })
  const read = async (path: string): Promise<unknown> =>
    await (await fetch(`${host.address}/contextmd/v1/${path}`, { headers: as('person') })).json()

  const late = async (): Promise<number> => (await hosted.health()).counters?.['moments_late'] ?? 0

  const hosted: Hosted = {
    world,
    host,
    async tell(session, event, more = {}) {
      const records = join(world.home, '.claude', 'projects', '-home-dev-project', `${session}.jsonl`)
      const body = JSON.stringify({ session_id: session, transcript_path: records, cwd: project, hook_event_name: event, ...more })
      const path = '/contextmd/v1/moment?harness=claude-code'
      for (let posts = 1; ; posts += 1) {
        const lateBefore = await late()
        const response = await fetch(host.address + path, { method: 'POST', body, headers: as('poster') })
        const text = await response.text()
        // the machine was busy, and nothing was decided: a harness would go on, a test asks again
        if (posts < MOST_POSTS && response.status === 204 && (await late()) > lateBefore) continue
        return { status: response.status, isDenied: text.includes('"permissionDecision":"deny"'), text }
      }
    },
    commit: (session, call) =>
      hosted.tell(session, 'PreToolUse', { tool_name: 'Bash', tool_input: { command: 'git commit -m wip' }, tool_use_id: call }),
    // as the interface gave it
    log: async () => ((await read('log?limit=100')) as { moments: LoggedMoment[] }).moments.filter(({ session }) => session !== WARM),
    health: async () => (await read('health')) as HealthTold,
  }
  if (!isIdle) await hosted.tell(WARM, 'Stop')
  return hosted
}
