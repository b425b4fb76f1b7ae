import { expect, test } from 'vitest'
import type { Scope, TriggerItem } from '../core/entry.ts'
import { entry } from '../match/subject.fixture.ts'
import { deadItems } from './dead-items.ts'

const DEAD: readonly (readonly [string, TriggerItem, Scope])[] = [
  ['command', { tool: ['read'], command: ['cat'] }, {}],
  ['content', { tool: ['shell'], content: ['TODO'] }, {}],
  ['content', { command: ['git'], content: ['TODO'] }, {}],
  ['access', { tool: ['read'], access: ['write'] }, {}],
  ['not', { command: ['git push'], not: [{ command: ['git pull', 'git push'] }] }, {}],
  ['not', { path: ['src/**'], access: ['write'], not: [{ path: ['src/**'] }] }, {}],
  ['session', { session: ['subagent'] }, { agents: ['main'] }],
  ['session', { session: ['start', 'compact'] }, { agents: ['subagent'] }],
]

test.each(DEAD)('%s: %j', (key, item, scope) => {
  expect(deadItems(entry({ when: [{ prompt: ['x'] }, item], scope }))).toMatchObject([{ item: 1, key }])
})

const ALIVE: readonly (readonly [TriggerItem, Scope])[] = [
  [{ tool: ['read', 'shell'], command: ['cat'] }, {}],
  [{ tool: ['mcp:db/query'], content: ['x'] }, {}],
  [{ tool: ['edit'], access: ['write'] }, {}],
  [{ command: ['git push'], not: [{ command: ['git push --dry-run'] }] }, {}],
  [{ command: ['git push', 'git pull'], not: [{ command: ['git push'] }] }, {}],
  [{ path: ['src/**'], not: [{ path: ['src/**', '!src/a'] }] }, {}],
  [{ session: ['start', 'subagent'] }, { agents: ['main'] }],
  [{ session: ['subagent'] }, { agents: ['Explore'] }],
]

test.each(ALIVE)('alive: %j', (item, scope) => {
  expect(deadItems(entry({ when: [item], scope }))).toEqual([])
})
