import { hooksFor } from '../../src/harness/grok/install-hooks.ts'
import { grok } from '../../src/harness/grok/profile.ts'
import { describeHarness, NO_RECORDS } from './describe.fixture.ts'
import { grokEvents } from './events.fixture.ts'
import { clientsHere, commandDriver, SECONDS } from './hook-driver.fixture.ts'

const [client = 'node'] = clientsHere()

describeHarness('grok', {
  driver: (desk) =>
    commandDriver(
      desk,
      {
        name: 'grok',
        profile: grok,
        hooks: (port) => hooksFor({ port, hooksFolder: desk.paths.hooks, seconds: SECONDS }),
        events: grokEvents(desk.project),
      },
      client,
    ),
  excused: { 'G20: a wave is held as a whole, its text sent once': NO_RECORDS },
})
