import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { writeHookFiles } from '../../install/hook-scripts.ts'
import { pathsFrom } from '../../paths.ts'
import { openHosted } from './hosted.fixture.ts'
import { startSmallHost } from './small-host.fixture.ts'
import { contextmd } from './stable.ts'
import { hostToken } from './world.fixture.ts'

test("the real hook script posts to the host with the host's token, once the host has shown that it is ours", async () => {
  const hosted = await openHosted((world) => startSmallHost(world, contextmd()))
  const { home, env } = hosted.world
  const { hooks } = pathsFrom(env)
  writeHookFiles(hooks, hostToken('poster'))
  const event = {
    session_id: 'S-JOIN',
    transcript_path: join(home, 'S-JOIN.jsonl'),
    cwd: home,
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command: 'git commit -m wip' },
    tool_use_id: 'toolu_a',
  }
  const { port } = new URL(hosted.host.address)
  const input = join(home, 'event.json')
  writeFileSync(input, JSON.stringify(event))
  const hook = `sh '${join(hooks, 'contextmd-hook.sh')}' claude-code ${port} 20 < '${input}'`
  const { stdout } = await promisify(execFile)('sh', ['-c', hook], { env: { ...env, PATH: process.env['PATH'] } })
  expect(stdout).toContain('"permissionDecision":"deny"')
  expect(await hosted.log()).toMatchObject([{ joining: 'joined', thread: 'T-JOIN', outcome: 'denied' }])
})
