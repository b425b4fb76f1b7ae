import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Author } from './authors.fixture.ts'

test('flags make an entry with tests that hold, and no mistakes', async () => {
  using at = new Author()
  const flags = ['--title', 'Force push: never', '--command', 'git push --force', '--forbid', '--text', 'Use --force-with-lease.']
  const { code, out } = await at.run('new', ...flags)
  const file = join(at.rules, 'force-push-never.md')
  expect({ code, out }).toMatchObject({ code: 0, out: expect.stringMatching(/^.*force-push-never\.md is written\.\nIt is in force/) })
  expect(readFileSync(file, 'utf8')).toContain('tests:\n  - match:\n      command: git push --force\n  - no-match:\n')
  expect(await at.run('test')).toMatchObject({ code: 0, out: '2 passed, 0 failed\n' })
  expect((await at.run('try', '--command', 'git push --force')).out).toContain('FORBIDDEN  rules/force-push-never')
  // what is there already stays
  expect(await at.run('new', ...flags)).toMatchObject({ code: 1, err: expect.stringContaining('is there already') })
})

test('what no flag says is asked for', async () => {
  using at = new Author()
  at.answers = ['Releases', 'command', 'npm publish', 'known', 'Ask first.']
  expect(await at.run('new')).toMatchObject({ code: 0 })
  expect(readFileSync(join(at.rules, 'releases.md'), 'utf8')).toMatch(
    /^---\ntitle: Releases\nmust-know: true\nwhen:\n {2}- command: npm publish\ntests:/,
  )
})

test.each([
  [['--title', 'X', '--command', 'x'], '--text'],
  [['--title', 'X', '--text', 'x'], '--command, --path, --prompt, --session or --output'],
  [['--must-know', '--forbid'], 'not both'],
])('without a terminal a missing flag is named: %j', async (argv, message) => {
  using at = new Author()
  expect(await at.run('new', ...argv)).toMatchObject({ code: 64, err: expect.stringContaining(message) })
})

test('a store of serving.json by its name; a condition with a mistake is told with exit code 1', async () => {
  using at = new Author()
  at.write(
    '.config/contextmd/serving.json',
    JSON.stringify({
      stores: [
        { name: 'a', folder: 'a' },
        { name: 'b', folder: 'b' },
      ],
    }),
  )
  const flags = ['--title', 'X', '--text', 'Y.']
  expect(await at.run('new', ...flags, '--command', 'make', '--store', 'b')).toMatchObject({ code: 0 })
  expect(existsSync(join(at.home, '.config/contextmd/b/x.md'))).toBe(true)
  expect(await at.run('new', ...flags, '--command', 'make', '--store', 'c')).toMatchObject({
    code: 1,
    err: expect.stringContaining('there are a, b'),
  })
  expect(await at.run('new', ...flags, '--prompt', '/(/')).toMatchObject({ code: 1, out: expect.stringContaining("can't be used") })
})
