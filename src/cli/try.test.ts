import { expect, test } from 'vitest'
import { Author, COMMITS, FAILS, FORCE } from './authors.fixture.ts'

const RULES = { force: FORCE, commits: COMMITS, fails: FAILS }

test('says what would be denied, with the exact text, and why not the nearest others', async () => {
  using at = new Author(RULES)
  const { code, out } = await at.run('try', '--command', 'git push --force origin main')
  expect(code).toBe(0)
  expect(out).toContain('FORBIDDEN  rules/force  "Force push"')
  expect(out).toContain('  | [ContextMD 0000000000.1 Force push]\n  | Use --force-with-lease.\n  | [/ContextMD 0000000000.1]')
  expect(out).toContain('rules/commits (item 1)  command: wanted git commit, saw git push --force origin main')
  expect(out).not.toContain('rules/fails')
})

test.each([
  ['claude-code', 'Claude Code', ['hookSpecificOutput.permissionDecision:', '  | deny', 'hookSpecificOutput.additionalContext:']],
  ['codex', 'Codex', ['hookSpecificOutput.permissionDecisionReason:', 'hookSpecificOutput.additionalContext:']],
  ['grok', 'Grok Build', ['  decision:', '  reason:\n  | A rule, no failure']],
  ['opencode', 'OpenCode', ['  deny:\n  | Not a failure', '  notice:']],
])('%s: prints the answer of this harness, with what stands in the note that it names', async (harness, title, parts) => {
  const text = `Never edit a migration that is on main. ${'Write a new one. '.repeat(20)}END`
  using at = new Author({ long: `---\ntitle: Migrations\nmust-know: true\nwhen: {command: migrate}\n---\n${text}\n` })
  const { out } = await at.run('try', '--harness', harness, '--command', 'migrate up')
  expect(out).toContain(`${title} is answered:`)
  for (const part of parts) expect(out).toContain(part)
  const { answer, notes } = JSON.parse((await at.run('try', '--json', '--harness', harness, '--command', 'migrate up')).out)
  expect(JSON.stringify(answer.body).includes('END')).toBe(harness !== 'grok')
  expect(notes).toHaveLength(harness === 'grok' ? 1 : 0)
  // X3: Grok Build cuts a longer reason
  if (harness !== 'grok') return
  expect(answer.body.reason.length).toBeLessThanOrEqual(256)
  expect(out).toContain(`Read ${notes[0].file}\n`)
  expect(out).toContain(`In ${notes[0].file} stands then:\n  | # Migrations\n  | \n  | ${text}`)
})

test('where a harness takes no text, its answer is nothing', async () => {
  using at = new Author({ pack: '---\nwhen: {session: start}\n---\nP.\n' })
  expect((await at.run('try', '--session', 'start')).out).toContain('hookSpecificOutput.additionalContext:')
  const { out } = await at.run('try', '--session', 'start', '--harness', 'grok')
  expect(out).toContain('CARRIED  rules/pack')
  expect(out).not.toContain('is answered')
})

test('the one condition that failed, with what was seen there', async () => {
  using at = new Author(RULES)
  const flags = ['--command', 'npm test']
  expect((await at.run('try', ...flags)).out).toContain('rules/fails (item 1)  moment: wanted after a call, saw before-tool')
  expect((await at.run('try', ...flags, '--output', 'ok')).out).toContain('rules/fails (item 1)  failed: wanted true, saw false')
  expect((await at.run('try', ...flags, '--failed')).out).toContain('SERVED  rules/fails')
  // M8: the status that the command prints itself
  expect((await at.run('try', '--command', 'npm test; echo "exit=$?"', '--output', 'exit=1')).out).toContain('SERVED  rules/fails')
})

test('M1: a mention is no use, and why not says so', async () => {
  using at = new Author(RULES)
  const { out } = await at.run('try', '--command', 'echo "git commit"')
  expect(out).toMatch(/Nothing would be served: none of \d entries matches\./)
  expect(out).toContain('rules/commits (item 1)  command: wanted git commit, saw echo "git commit"')
})

test('--entry explains one, condition by condition; a near name is offered for one that is not there', async () => {
  using at = new Author(RULES)
  const { out } = await at.run('try', '--command', 'npm test', '--output', 'ok', '--entry', 'fails')
  expect(out).toMatch(
    /It does not match\.\n {2}item 1 of `when`: does not match\n {4}yes {2}moment .*\n {4}NO {3}failed +wanted: true {3}seen: false\n {4}yes {2}command/,
  )
  const unknown = await at.run('try', '--command', 'x', '--entry', 'rules/comits')
  expect(unknown).toMatchObject({ code: 1, err: 'contextmd: there is no entry "rules/comits": did you mean "rules/commits"?\n' })
})

test('S3: an entry with a mistake says why it is not served', async () => {
  using at = new Author({ bad: '---\nwhen: {commnd: x}\n---\nText.\n' })
  expect((await at.run('try', '--command', 'x')).out).toContain('1 file has a mistake and may hide an entry: contextmd lint')
  expect((await at.run('try', '--command', 'x', '--entry', 'bad')).err).toContain('bad is not served: `commnd` is not a key')
})

test('an event as a hook posts it, prompts, paths, sessions; --json for programs', async () => {
  using at = new Author({
    prompt: '---\nwhen: {prompt: release}\n---\nR.\n',
    pack: '---\nwhen: {session: start}\n---\nP.\n',
    files: '---\nmust-know: true\nwhen: {path: src/**, access: write}\n---\nF.\n',
  })
  at.write('app/src/a.ts', '')
  const project = ['--project', `${at.home}/app`]
  const outcomes = async (...argv: string[]) => {
    const { out } = await at.run('try', '--json', ...argv)
    return JSON.parse(out).candidates.map(({ entry, outcome }: { entry: string; outcome: string }) => `${entry} ${outcome}`)
  }
  expect(await outcomes('--prompt', 'the release please')).toEqual(['rules/prompt served'])
  expect(await outcomes('--session', 'resume')).toEqual(['rules/pack served'])
  expect(await outcomes('--path', 'src/new.ts', '--write', ...project)).toEqual(['rules/files held'])
  expect(await outcomes('--path', 'src/a.ts', ...project)).toEqual([])
  const event = { session_id: 's', hook_event_name: 'UserPromptSubmit', cwd: at.home, prompt: 'release', transcript_path: '/t' }
  expect(await outcomes('--event', at.write('event.json', JSON.stringify(event)))).toEqual(['rules/prompt served'])
})

test.each([
  [['try'], 64, 'describe a moment'],
  [['try', '--sesion', 'start'], 64, '--sesion'],
  [['try', '--session', 'begin'], 64, '--session takes start, resume, compact, subagent'],
  [['try', '--command', 'x', '--harness', 'vim'], 64, '--harness takes claude-code'],
  [['try', '--event', '/nowhere.json'], 1, "can't be read as JSON"],
])('%j is refused in one line', async (argv, code, message) => {
  using at = new Author()
  const ran = await at.run(...argv)
  expect(ran.code).toBe(code)
  expect(ran.err).toContain(message)
})
