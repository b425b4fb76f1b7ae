import { expect, test } from 'vitest'
import { EVENTS, hooksFor } from './install-hooks.ts'

test('S7: no process is started at a call: every event but the session start is posted by the harness itself', () => {
  const hooks = hooksFor({ transport: 'http', port: 4517, token: 'cmd_t', hooksFolder: '/home/dev/hooks', seconds: 1 })
  const commands = EVENTS.filter((event) => hooks.get(event)?.type !== 'http')
  expect(commands).toEqual(['SessionStart'])
})
