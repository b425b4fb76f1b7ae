/** The example entries do what they say, with the real matcher. */
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { compile } from '../match/compile.ts'
import type { Subject } from '../match/match.ts'
import { afterTool, beforeTool, prompt, ROOT, subject } from '../match/subject.fixture.ts'
import { scratch } from './scratch-store.fixture.ts'

const RULES = fileURLToPath(new URL('../../examples/rules', import.meta.url))
const start = subject({ kind: 'session-start', source: 'startup' }, { sessionTriggers: ['start'] })
const write = (path: string) => beforeTool({ paths: [{ path: `${ROOT}/${path}`, real: `${ROOT}/${path}`, access: 'write' }] })

const CASES: readonly (readonly [string, Subject, readonly string[]])[] = [
  ['a session start', start, ['house-rules']],
  ['a commit', beforeTool({ command: 'git commit -m x' }), ['commit-messages']],
  ['M1: a mention of a commit', beforeTool({ command: 'echo "git commit"' }), []],
  ['a force push', beforeTool({ command: 'git push --force origin main' }), ['force-push']],
  ['the safe one', beforeTool({ command: 'git push --force-with-lease' }), []],
  ['a new migration', write('db/migrations/7_add.sql'), ['migrations']],
  ['an endpoint', write('src/api/users/get.ts'), ['api-errors']],
  ['another file', write('src/ui/button.ts'), []],
  ['a prompt about a release', prompt('Please prepare the release of 2.0'), ['release-notes']],
  ['tests that fail', afterTool({ command: 'npm test' }, { state: 'failed', exitCode: 1 }), ['failing-tests']],
  ['tests that pass', afterTool({ command: 'npm test' }, { state: 'ok', exitCode: 0 }), []],
  ['a port in use', afterTool({ command: 'npm start' }, { output: 'Error: listen EADDRINUSE: :::3000' }), ['port-in-use']],
]

test.each(CASES)('%s', (_, moment, names) => {
  using at = scratch()
  const serving = at.write('config/serving.json', JSON.stringify({ stores: [{ name: 'examples', folder: RULES }] }))
  const view = at.open({ compile, paths: { serving, config: at.home } }).current()
  expect(view.problems).toEqual([])
  const { candidates } = view.matcher.match(moment)
  expect(candidates.map(({ entry }) => entry.id)).toEqual(names.map((name) => `examples/${name}`))
})
