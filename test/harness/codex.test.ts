import { hooksFor } from '../../src/harness/codex/install-hooks.ts'
import { codex } from '../../src/harness/codex/profile.ts'
import { describeHarness } from './describe.fixture.ts'
import { codexEvents } from './events.fixture.ts'
import { clientsHere, commandDriver, SECONDS } from './hook-driver.fixture.ts'

const [client = 'node'] = clientsHere()

describeHarness('codex', {
  driver: (desk) =>
    commandDriver(
      desk,
      {
        name: 'codex',
        profile: codex,
        hooks: (port) => hooksFor({ way: 'command', key: '', port, hooksFolder: desk.paths.hooks, seconds: SECONDS }),
        events: codexEvents(desk.project),
      },
      client,
    ),
})
