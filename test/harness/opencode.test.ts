import { describeHarness } from './describe.fixture.ts'
import { pluginDriver } from './opencode-driver.fixture.ts'

describeHarness('opencode', {
  driver: pluginDriver,
  excused: {
    'S9, S11: what is no event is counted, and never a deny': {
      since: '2026-11-30',
      why: 'the plugin is called by functions: there is no text that could be none',
    },
  },
})
