import { claudeCode } from '../../src/harness/claude-code/profile.ts'
import { hooksFor } from '../../src/harness/claude-code/install-hooks.ts'
import type { Desk } from './desk.fixture.ts'
import { describeHarness } from './describe.fixture.ts'
import { claudeCodeEvents } from './events.fixture.ts'
import { clientsHere, commandDriver, SECONDS } from './hook-driver.fixture.ts'
import type { HookHarness } from './hook-driver.fixture.ts'
import { httpDriver } from './http-driver.fixture.ts'

const by = (desk: Desk, transport: 'http' | 'command'): HookHarness => ({
  name: 'claude-code',
  profile: claudeCode,
  hooks: (port) => hooksFor({ transport, port, token: desk.token, hooksFolder: desk.paths.hooks, seconds: SECONDS }),
  events: claudeCodeEvents(desk.project),
})

const [first, ...others] = clientsHere()
describeHarness('claude-code: http', { driver: (desk) => httpDriver(desk, by(desk, 'http')) })
describeHarness(`claude-code: command (${first})`, {
  driver: (desk) => commandDriver(desk, by(desk, 'command'), first ?? 'node'),
})
for (const client of others)
  describeHarness(`claude-code: command (${client})`, {
    driver: (desk) => commandDriver(desk, by(desk, 'command'), client),
    only: [
      'pack at session start',
      'G14, G18: a held call goes on after one deny where there are no records',
      'S9, S11: what is no event is counted, and never a deny',
      'S6: the server is down',
    ],
  })
