import { expect, test } from 'vitest'
import type { TriggerItem } from '../core/entry.ts'
import { checkTrigger } from './check.ts'

const keys = (item: TriggerItem) => checkTrigger(item).map(({ key, message }) => `${key}: ${message}`)

test.each<[TriggerItem, string]>([
  [{ prompt: ['/(/'] }, "prompt: /(/ can't be used: missing closing )"],
  [{ output: ['/(?<=a)b/'] }, 'look-around is not supported'],
  [{ content: ['/(a)\\1/'] }, 'back references are not supported'],
  [{ command: ['/git [/'] }, "command: /git [/ can't be used"],
  [{ command: ['/rm \\b-rf/'] }, 'can never match'],
  [{ command: ['/rm\\s\\b-rf/'] }, 'can never match'],
  [{ command: ['/\\b--force/'] }, 'can match only where a word touches it'],
  [{ command: ['/(a|\\b-f)/'] }, 'can match only where a word touches it'],
  [{ command: ['/^\\b-rf/'] }, 'can never match'],
  [{ command: ['/.*/'] }, 'matches anything'],
  [{ command: ['git push | cat'] }, "can't be read: it must be one simple command"],
  [{ command: ['git push && x'] }, 'one simple command'],
  [{ command: ['git push > x'] }, 'a redirection'],
  [{ command: ['A=1 git push'] }, 'a variable in front'],
  [{ command: ['git push *'] }, 'wildcards'],
  [{ command: ['git push $X'] }, 'wildcards'],
  [{ command: ['git "push'] }, 'no complete command'],
  [{ command: [' '] }, 'command: it is empty'],
  [{ prompt: [''] }, 'prompt: it is empty'],
  [{ path: ['../x'] }, 'leads out of the project'],
  [{ path: ['src/!(a)/**'] }, 'is not supported'],
  [{ path: ['src\\a.ts'] }, 'backslashes'],
  [{}, 'no key that could match'],
  [{ not: [{ tool: ['x'] }] }, 'no key that could match'],
  [{ prompt: ['x'], command: ['git'] }, 'prompt: a prompt is no call'],
  [{ session: ['start'], tool: ['shell'] }, 'session: a session start is no call'],
  [{ tool: ['shell'], not: [{ command: ['/(/'] }] }, 'not: '],
])('M3: %j', (item, message) => expect(keys(item).join('\n')).toContain(message))

test.each<TriggerItem>([
  { prompt: ['deploy', '/deploy|release/i', '--force'] },
  {
    command: [
      'git push',
      'git push --force',
      'rm -rf',
      'git commit -m "a b"',
      '/git push .*--force\\b/',
      '/\\bgit\\b/',
      '/ --force\\b/',
      '/a\\b-b/',
    ],
  },
  { path: ['src/**', '!src/gen/**', '*.{ts,tsx}', 'app/(auth)/**', '~/x', '/etc/**', 'app/\\[id\\]/x'], access: ['write'] },
  { tool: ['shell', 'mcp:*/x'], failed: true },
  { session: ['start', 'compact'] },
  { output: ['/error: .*$/m'], command: ['npm'] },
])('nothing is wrong with %j', (item) => expect(checkTrigger(item)).toEqual([]))

test('every finding has a hint', () => {
  for (const finding of checkTrigger({ prompt: ['/(/'], command: ['a | b', '/x \\b-y/'], path: ['..'] })) expect(finding.hint).not.toBe('')
})

test('M4: a pattern that is too long to be written by hand is refused before it is compiled', () => {
  const pattern = `/${'[a-zA-Z0-9]'.repeat(1_500)}/`
  expect(checkTrigger({ prompt: [pattern] })).toMatchObject([{ key: 'prompt', message: expect.stringContaining('2000 characters') }])
})
