/** Hooks and commands that find ContextMD inside a host, as setup has left them. */
import { writeFileSync } from 'node:fs'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test, vi } from 'vitest'
import { diagnose } from '../../cli/doctor.ts'
import { allFindings } from '../../cli/doctor-lines.ts'
import { Address } from '../../harness/opencode/plugin/address.ts'
import { keepHostToken, readHostToken } from '../../install/host-token.ts'
import { readRecords, recordFileIn } from '../../install/record.ts'
import { revokeSession } from './host-auth.fixture.ts'
import { newHostHome, type Host, type HostHome } from './host-home.fixture.ts'

// each test starts processes, on a busy machine for seconds
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

const RULE = '---\ntitle: Commit messages\nmust-know: true\nwhen:\n  - command: git commit\n---\nUse Conventional Commits.\n'

/** A host that hooks of Claude Code were set up for. */
async function begin(): Promise<HostHome & { readonly host: Host }> {
  const home = newHostHome()
  writeFileSync(join(home.world.rules, 'commit.md'), RULE)
  const host = await home.startHost()
  await home.told(host)
  expect((await home.contextmd('setup', 'claude-code')).code).toBe(0)
  return { ...home, host }
}

/** The hook as it stands in the settings, run as the harness runs it; gives what it prints. */
async function hook({ env, paths, world }: HostHome, name: string, more: object = {}): Promise<string> {
  const port = readRecords(recordFileIn(paths.data))[0]?.port
  const event = {
    session_id: 'S-JOIN',
    transcript_path: join(world.home, 'S-JOIN.jsonl'),
    cwd: world.home,
    hook_event_name: name,
    ...more,
  }
  const input = join(world.home, 'event.json')
  writeFileSync(input, JSON.stringify(event))
  const line = `sh '${join(paths.hooks, 'contextmd-hook.sh')}' claude-code ${port} 30 < '${input}'`
  return (await promisify(execFile)('sh', ['-c', line], { env })).stdout
}

const commit = (home: HostHome, call: string) =>
  hook(home, 'PreToolUse', { tool_name: 'Bash', tool_input: { command: 'git commit -m wip' }, tool_use_id: call })

async function finding(home: HostHome, id: string): Promise<string> {
  const quiet = { write: () => true }
  const findings = allFindings(await diagnose({ env: home.env, stdout: quiet, stderr: quiet }, home.world.home))
  const found = findings.filter((one) => one.id === id).map(({ level, what, cure }) => `${level}: ${what}: ${cure}`)
  return found.join('\n')
}

test('the host is started anew on another port: the next hook arrives there, and so do commands and the plugin', async () => {
  const home = await begin()
  expect(await commit(home, 'toolu_a')).toContain('"permissionDecision":"deny"')
  await home.host.stop()
  // nobody is there: the agent works on
  expect(await commit(home, 'toolu_b')).toBe('')
  const next = await home.startHost()
  expect(next.port).not.toBe(home.host.port)
  await home.told(next)
  await hook(home, 'Stop')
  const { code, out } = await home.contextmd('log', '--json')
  expect([code, out.match(/"joining":"joined"/g)?.length]).toEqual([0, 2])
  const plugin = new Address({ port: home.host.port, hooksFolder: home.paths.hooks, env: {} })
  expect(await plugin.find(30_000)).toBe(next.port)
})

describe('commands', () => {
  test('read with the token that setup keeps; those that act say that they take a wider one, which comes in the environment', async () => {
    const home = await begin()
    for (const name of ['health', 'log', 'report', 'threads']) {
      expect([name, await home.contextmd(name)]).toEqual([name, expect.objectContaining({ code: 0, err: '' })])
    }
    const acts = [['off'], ['on'], ['lift', 'rules/commit'], ['forget', 'T-JOIN']]
    for (const argv of acts) {
      const { code, err } = await home.contextmd(...argv)
      const said = expect.stringMatching(/scope orchestration:operate required.*only reads.*CONTEXTMD_HOST_TOKEN/)
      expect([argv, code, err]).toEqual([argv, 1, said])
    }
    home.env['CONTEXTMD_HOST_TOKEN'] = 't3_person'
    expect((await home.contextmd('off')).out).toContain('Serving is off')
    expect((await home.contextmd('on')).code).toBe(0)
  })

  test('without a token of the host they say how to get one', async () => {
    const home = newHostHome()
    await home.told(await home.startHost())
    expect(await home.contextmd('health')).toMatchObject({ code: 1, err: expect.stringContaining('contextmd setup --inside gets one') })
  })
})

test('T15: a token that the host refuses is told by health and doctor, and the agent works on', async () => {
  const home = await begin()
  expect(await finding(home, 'token')).toMatch(/^ok: good until/)
  expect(await finding(home, 'test-moment')).toMatch(/^ok/)
  revokeSession(home.world.stateDir, readHostToken(home.paths.data)?.session ?? '')
  expect(await commit(home, 'toolu_a')).toBe('')
  expect(await home.contextmd('health')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/refuses the token.*contextmd setup --inside/),
  })
  expect(await finding(home, 'health')).toMatch(/^bad: .*refuses the token.*contextmd setup --inside/)
  // to who may read it
  home.env['CONTEXTMD_HOST_TOKEN'] = 't3_person'
  expect((await home.contextmd('health')).out).toMatch(/Hooks of claude-code show a token that the host refuses/)
})

test('T15: doctor warns seven days before the token runs out, and --fix gets another', async () => {
  const home = await begin()
  const kept = readHostToken(home.paths.data)
  if (kept === null) throw new Error('none')
  keepHostToken(home.paths.data, { ...kept, expiresAt: Date.now() + 6.5 * 86_400_000 })
  expect(await finding(home, 'token')).toMatch(/^warn: the token runs out in 7 days.*contextmd setup claude-code/)
  await home.contextmd('doctor', '--fix')
  expect(readHostToken(home.paths.data)?.token).not.toBe(kept.token)
  expect(await finding(home, 'token')).toMatch(/^ok: good until/)
})
