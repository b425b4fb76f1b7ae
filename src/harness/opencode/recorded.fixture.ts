/** The recorded hook calls and bus events, as the plugin would post them. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const EVENTS = fileURLToPath(new URL('./fixtures/events/', import.meta.url))

interface Recorded {
  readonly hook: string
  readonly version: string
  readonly input: Readonly<Record<string, unknown>>
  readonly output?: Readonly<Record<string, unknown>>
}

/** By the name of its file; the two lists of the order of hooks are left out. */
export function recordedEvents(): ReadonlyMap<string, Recorded> {
  const names = readdirSync(EVENTS).filter((name) => !name.startsWith('order.'))
  // recorded by hand in one form, checked by the tests that use them
  return new Map(names.map((name) => [name.replace(/\.json$/, ''), JSON.parse(readFileSync(`${EVENTS}${name}`, 'utf8')) as Recorded]))
}

/** What the plugin adds to each. */
export const POSTED = { directory: '/home/dev/project', records: '/home/dev/.local/share/opencode/opencode.db', parent: null, agent: null }
