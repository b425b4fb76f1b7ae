/** From setup to a served moment, with nothing started by hand: the real scripts, the real program. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { run } from '../cli/run.fixture.ts'
import { readServerFile } from '../server/server-file.ts'
import { findServer, portOf } from './find.ts'
import { closedPort, playServer, watchStartScripts } from './hook.fixture.ts'
import { makeHome, until, type Home } from './home.fixture.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 })

/** Far above what a busy machine takes. */
const PATIENT = { CONTEXTMD_HOOK_TIMEOUT: '30' }

const setUp = (home: Home, ...options: readonly string[]) => run(['setup', 'claude-code', ...options], { ...home.env, ...PATIENT })

/** The command that setup wrote for an event. */
function hookOf(home: Home, event: string): string {
  const { hooks } = JSON.parse(readFileSync(join(home.folder, '.claude', 'settings.json'), 'utf8'))
  return hooks[event][0].hooks[0].command
}

function post(home: Home, event: string, more: object = {}, env: NodeJS.ProcessEnv = {}) {
  const input = JSON.stringify({ hook_event_name: event, session_id: 's1', cwd: home.folder, ...more })
  return home.run(['/bin/sh', '-c', hookOf(home, event)], { input, env })
}

let calls = 0

/** Asks again: on a busy machine an answer may be too late, and the call passes. */
async function isHeld(home: Home): Promise<boolean> {
  const call = { tool_name: 'Bash', tool_input: { command: 'git commit -m wip' }, tool_use_id: `toolu_${(calls += 1)}` }
  return (await post(home, 'PreToolUse', call)).out.includes('"permissionDecision":"deny"')
}

async function isUp(home: Home): Promise<boolean> {
  return (await findServer(home.paths)).state === 'ours'
}

test('S14: many sessions that begin at once start one server, and what follows in them is served', async () => {
  const home = makeHome()
  const port = await closedPort()
  const setup = await setUp(home, '--transport', 'command', '--port', String(port))
  expect(setup).toMatchObject({ code: 0, err: '' })
  const { PATH, ended } = watchStartScripts(home)
  const first = await Promise.all(Array.from({ length: 6 }, () => post(home, 'SessionStart', { source: 'startup' }, { PATH })))
  expect(first.every(({ code, out }) => code === 0 && out === '')).toBe(true)
  // by then it is up
  await ended(6)
  const file = readServerFile(home.paths.server)
  expect(file?.startedAs).toBe('background')
  expect(readFileSync(home.paths.log, 'utf8').match(/ContextMD serves at/g)).toHaveLength(1)

  await until(() => isHeld(home))
  const { out } = await run(['service', 'status'], home.env)
  expect(out).toMatch(new RegExp(`server +${file?.address}, process ${file?.pid}, .*in the background`))
  expect(await run(['service', 'stop'], home.env)).toMatchObject({ code: 0 })
  expect(await findServer(home.paths)).toEqual({ state: 'none' })
})

test('where a stranger has the port, ours starts on another one and the hooks find it', async () => {
  const home = makeHome()
  const stranger = await playServer(false)
  await setUp(home, '--transport', 'command', '--port', String(stranger.port))
  await post(home, 'SessionStart', { source: 'startup' })
  await until(() => isUp(home))
  await until(() => isHeld(home))
  const file = readServerFile(home.paths.server)
  expect(file === null || portOf(file) === stranger.port).toBe(false)
  expect(stranger.posted).toEqual([])
})

test('hooks with a fixed address that is not the server`s are named in health', async () => {
  const home = makeHome()
  const stranger = await playServer(false)
  await setUp(home, '--port', String(stranger.port))
  expect(await run(['service', 'start'], home.env)).toMatchObject({ code: 0 })
  const { out } = await run(['health'], home.env)
  expect(out).toContain(`claude-code posts to port ${stranger.port}, and the server is at port`)
})

test('--no-autostart holds, also for a setup after it, until --autostart', async () => {
  const home = makeHome()
  const start = () => readFileSync(join(home.paths.hooks, 'server.start'), 'utf8')
  expect((await setUp(home, '--no-autostart')).out).toContain('Hooks do not start the server')
  expect(start()).toBe('')
  await setUp(home)
  expect(start()).toBe('')
  await setUp(home, '--autostart')
  expect(start()).toContain('contextmd.js')
  const after = await run(['remove', 'claude-code'], home.env)
  expect(after.code).toBe(0)
  expect(() => start()).toThrow('ENOENT')
})
