/** Claude Code's own `http` hooks: it posts the event itself. Only the session's start is a command there. */
import type { Desk } from './desk.fixture.ts'
import type { Driver } from './driver.fixture.ts'
import { commandDriver, driverOf, nameOf } from './hook-driver.fixture.ts'
import type { HookHarness, Post } from './hook-driver.fixture.ts'

export function httpDriver(desk: Desk, harness: HookHarness): Driver {
  const byCommand = commandDriver(desk, harness, 'node')
  const hooks = harness.hooks(desk.port)
  const send = async (name: string, body: string, off: string): Promise<string> => {
    const hook = hooks.get(name)
    if (hook?.type !== 'http') return ''
    const headers = { ...hook.headers, 'contextmd-off': off, 'content-type': 'application/json' }
    const response = await fetch(hook.url, { method: 'POST', headers, body })
    const text = await response.text()
    // what is no answer is passed over
    return response.status === 200 ? text : ''
  }
  const post: Post = async (event, env) => {
    const name = nameOf(event)
    if (hooks.get(name)?.type !== 'command') return send(name, JSON.stringify(event), env['CONTEXTMD_OFF'] ?? '')
    return byCommand.post(event, env)
  }
  return { ...driverOf(harness.profile, harness.events, post), garbage: (text) => send('PreToolUse', text, ''), down: byCommand.down }
}
