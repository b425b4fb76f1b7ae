import { hooksFor } from '../../src/harness/grok/install-hooks.ts'
import { grok } from '../../src/harness/grok/profile.ts'
import { describeHarness } from './describe.fixture.ts'
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
  excused: {
    'G20: a wave is held as a whole, its text sent once': {
      since: '2026-11-30',
      why: 'no moment tells the end of a wave, and the contract plays sessions without records, where nothing else does (law 8): the canary plays it with records',
    },
  },
})
