/** `contextmd run` as a process of its own, with real commands. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { isAlive, readServerFile } from '../server/server-file.ts'
import { playServer } from '../service/hook.fixture.ts'
import { makeHome, until, type Ended, type Home, type Ran } from '../service/home.fixture.ts'
import { ownProgram } from '../service/program.ts'
import { run } from './run.fixture.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const PATIENT = { CONTEXTMD_HOOK_TIMEOUT: '30' }

/** Temporary folders go into the home. */
function contextmdRun(home: Home, argv: readonly string[], more: Ran = {}): Promise<Ended> {
  mkdirSync(join(home.folder, 'tmp'), { recursive: true })
  return home.contextmd(['run', ...argv], { ...more, env: { TMPDIR: join(home.folder, 'tmp'), ...more.env } })
}

/** Posts a commit as the harness would, by the hook that setup wrote. */
function commitHook(home: Home): string {
  const settings = JSON.parse(readFileSync(join(home.folder, '.claude', 'settings.json'), 'utf8'))
  const event = {
    hook_event_name: 'PreToolUse',
    session_id: 's1',
    cwd: home.folder,
    tool_name: 'Bash',
    tool_input: { command: 'git commit -m wip' },
    tool_use_id: 'toolu_1',
  }
  writeFileSync(join(home.folder, 'event.json'), JSON.stringify(event))
  return `{ ${settings.hooks.PreToolUse[0].hooks[0].command}; } <event.json`
}

describe('the command', () => {
  test('has our input and output, and its exit code is ours, also 2', async () => {
    const home = makeHome()
    const ended = await contextmdRun(home, ['--', 'sh', '-c', 'cat; echo "$1" >&2; exit 2', 'sh', '--report'], { input: 'typed' })
    expect(ended).toMatchObject({ code: 2, out: 'typed' })
    expect(ended.err).toMatch(/^--report$/m)
    expect(readdirSync(join(home.folder, 'tmp'))).toEqual([])
  })

  test.each([
    [['no-such-program'], 127, 'ENOENT'],
    [['.'], 126, 'EACCES'],
  ])('%j can not be run: as a shell would say', async (words, code, why) => {
    const home = makeHome()
    expect(await contextmdRun(home, ['--', ...words])).toMatchObject({ code, err: expect.stringContaining(why) })
  })

  test('ended by a signal is told as a shell does', async () => {
    expect(await contextmdRun(makeHome(), ['--', 'sh', '-c', 'kill -KILL $$'])).toMatchObject({ code: 137 })
  })

  test.each(['SIGTERM', 'SIGINT'] as const)('%s reaches it, and it decides', async (signal) => {
    const home = makeHome()
    const { node, launcher } = ownProgram()
    const script = `trap 'echo got it; exit 9' ${signal.slice(3)}; echo ready; while :; do sleep 0.1; done`
    const child = spawn(node, [launcher, 'run', '--', 'sh', '-c', script], { env: home.env })
    onTestFinished(() => void child.kill('SIGKILL'))
    let out = ''
    child.stdout.on('data', (part) => (out += String(part)))
    const ended = once(child, 'exit')
    await until(() => out.includes('ready'))
    child.kill(signal)
    expect([(await ended)[0], out]).toEqual([9, 'ready\ngot it\n'])
  })

  test.each([[[]], [['sh', '-c', 'true']], [['--']], [['--port', 'x', '--', 'true']]])('%j is a wrong call', async (argv) => {
    expect(await run(['run', ...argv], makeHome().env)).toMatchObject({ code: 64 })
  })
})

describe('the server', () => {
  test('is found by the hooks, and by the command line inside; the report is the artefact; nothing else is left', async () => {
    const home = makeHome()
    await run(['setup', 'claude-code', '--transport', 'command'], { ...home.env, ...PATIENT })
    const { node, launcher } = ownProgram()
    // asked again where a busy machine's answer came too late
    const script = `until ${commitHook(home)} | grep '"permissionDecision":"deny"'; do :; done; '${node}' '${launcher}' log --json >log.json`
    const file = join(home.folder, 'out', 'report.json')
    const ended = await contextmdRun(home, ['--report', file, '--', 'sh', '-c', script])
    expect(ended).toMatchObject({ code: 0, out: expect.stringContaining('Commit messages') })
    expect(ended.err).toBe('')
    const report = JSON.parse(readFileSync(file, 'utf8'))
    expect(report).toMatchObject({ moments: { denied: expect.any(Number) }, entries: [{ entry: 'rules/commit-messages' }] })
    expect(report.moments.denied).toBeGreaterThan(0)
    expect(readFileSync(join(home.folder, 'out', 'report.txt'), 'utf8')).toContain('rules/commit-messages')
    expect(readFileSync(join(home.folder, 'log.json'), 'utf8')).toContain('rules/commit-messages')
    expect(readdirSync(join(home.folder, 'tmp'))).toEqual([])
    expect([existsSync(home.paths.state), existsSync(home.paths.server)]).toEqual([false, false])
    expect((await run(['token', 'list'], home.env)).out).not.toContain('command line')
  })

  test('keeps its state where --state says', async () => {
    const home = makeHome()
    const ended = await contextmdRun(home, ['--state', 'kept', '--', 'true'])
    expect(ended).toMatchObject({ code: 0, err: expect.stringContaining('no harness is set up') })
    expect(readdirSync(join(home.folder, 'kept'))).toEqual(expect.arrayContaining(['contextmd.sqlite', 'own-token']))
    expect(existsSync(join(home.folder, 'kept', 'server.json'))).toBe(false)
  })

  test('that can not be started keeps no command from running', async () => {
    const home = makeHome()
    writeFileSync(join(home.folder, 'a-file'), '')
    const ended = await contextmdRun(home, ['--state', 'a-file/state', '--', 'sh', '-c', 'exit 4'])
    expect(ended.code).toBe(4)
  })

  test('is not started twice on one state', async () => {
    const home = makeHome()
    expect(await run(['service', 'start'], home.env)).toMatchObject({ code: 0 })
    const own = readServerFile(home.paths.server)
    const ended = await contextmdRun(home, ['--state', home.paths.data, '--', 'true'])
    expect(ended).toMatchObject({ code: 1, err: expect.stringContaining('leave "contextmd run" out') })
    expect(isAlive(own?.pid ?? 0)).toBe(true)
  })

  test('says what will not reach it', async () => {
    const home = makeHome()
    const stranger = await playServer(false)
    await run(['setup', 'claude-code', '--port', String(stranger.port)], home.env)
    expect((await contextmdRun(home, ['--', 'true'])).err).toContain(`claude-code posts to port ${stranger.port}`)
  })
})
