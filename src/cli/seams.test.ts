import { expect, test } from 'vitest'
import { Author, COMMITS, FAILS, FORCE } from './authors.fixture.ts'

test('says for each entry where its text arrives', async () => {
  using at = new Author({ force: FORCE, commits: COMMITS, fails: FAILS, long: `---\nwhen: {prompt: x}\n---\n${'x'.repeat(9_000)}\n` })
  const { code, out } = await at.run('seams', '--harness', 'claude-code')
  expect(code).toBe(0)
  expect(out).toContain('rules/commits  "Commits"\n  Claude Code: item 1 (before-tool): the call is denied until the agent knows the text')
  expect(out).toContain('rules/fails  "Fails"\n  Claude Code: item 1 (after-tool): the text arrives at this moment\n')
  expect(out).toContain('over the budget of a run: one line that names a file with it goes in its place')
  const { out: json } = await at.run('seams', '--entry', 'force', '--harness', 'claude-code', '--json')
  expect(JSON.parse(json)).toEqual({
    seams: [
      { entry: 'rules/force', harness: 'claude-code', seams: [{ item: 0, moment: 'before-tool', arrival: 'forbids', size: 'whole' }] },
    ],
  })
})
