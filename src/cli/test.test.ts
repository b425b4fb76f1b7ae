import { expect, test } from 'vitest'
import { Author } from './authors.fixture.ts'

const entry = (tests: string, when = 'command: npm publish') =>
  `---\ntitle: T\nmust-know: true\nwhen:\n  - ${when}\ntests:\n${tests}---\nText.\n`

test('runs the tests of all entries; of one that fails it says what was wanted and seen, with its line', async () => {
  using at = new Author({
    good: entry('  - match: {command: npm --workspace p publish}\n  - no-match: {command: echo npm publish}\n'),
    bad: entry('  - match: {command: yarn publish}\n  - no-match: {command: npm publish}\n  - match: {harness: claude-code}\n'),
    none: '---\nwhen: {prompt: x}\n---\nText.\n',
  })
  const { code, out } = await at.run('test')
  expect(code).toBe(1)
  expect(out.split('\n')).toEqual([
    `${at.rules}/bad.md:7: rules/bad: match: {command: yarn publish} must match, but command: wanted npm publish, saw yarn publish`,
    `${at.rules}/bad.md:8: rules/bad: no-match: {command: npm publish} must not match, but item 1 of \`when\` matched: command: wanted npm publish, saw npm publish`,
    `${at.rules}/bad.md:9: rules/bad: match: {harness: claude-code} it names nothing that happens: add command, path, prompt or another key`,
    '1 entry has no tests',
    '2 passed, 3 failed',
    '',
  ])
  expect(await at.run('test', '--entry', 'rules/good')).toMatchObject({ code: 0, out: '2 passed, 0 failed\n' })
  expect(JSON.parse((await at.run('test', '--json')).out)).toMatchObject({ passed: 2, failed: 3, untested: ['rules/none'] })
})

test('lint runs them too', async () => {
  using at = new Author({ bad: entry('  - match: {command: yarn publish}\n') })
  const { code, out } = await at.run('lint')
  expect(code).toBe(1)
  expect(out).toContain(
    `${at.rules}/bad.md:7: error: a test fails: match: {command: yarn publish} must match, but command: wanted npm publish`,
  )
})

test('what a test does not name lies inside the scope; what it names is checked', async () => {
  using at = new Author({
    scoped: entry(
      '  - match: {command: npm publish}\n  - match: {command: npm publish, project: shop}\n  - no-match: {command: npm publish, project: blog}\n  - no-match: {command: npm publish, agent: main}\n  - match: {command: npm publish, agent: subagent}\n',
      'command: npm publish\nscope: {projects: shop, agents: subagent}\nexpires: 2020-01-01',
    ),
  })
  expect(await at.run('test')).toMatchObject({ code: 0, out: '5 passed, 0 failed\n' })
})

test('the tests of the example entries hold', async () => {
  using at = new Author()
  for (const name of ['rules', 'starter']) {
    const folder = new URL(`../../examples/${name}/`, import.meta.url).pathname
    at.write('.config/contextmd/serving.json', JSON.stringify({ stores: [{ name: 'rules', folder }] }))
    const { code, out } = await at.run('test')
    expect(out).not.toContain('no tests')
    expect(code).toBe(0)
  }
})
