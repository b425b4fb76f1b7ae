import { cpSync, mkdirSync, readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { openEngine } from '../engine/open.ts'
import { pathsFrom } from '../paths.ts'
import { startServer } from '../server/start.ts'
import { calls, shell } from '../harness/grok/session.fixture.ts'
import { openTokens } from '../state/tokens.ts'
import { Author, COMMITS, FAILS, FORCE } from './authors.fixture.ts'

const RECORDS = fileURLToPath(new URL('../harness/claude-code/fixtures/transcript/', import.meta.url))
const failed = join(RECORDS, 'tool-failed.Bash.jsonl')

test('explains each entry before and after a call that the session file holds; nothing is stored', async () => {
  using at = new Author({ force: FORCE, fails: FAILS })
  const { code, out } = await at.run('why', '--call', 'toolu_0006', '--records', failed)
  expect(code).toBe(0)
  expect(out).toContain('before shell: npm test --silent; exit 3')
  expect(out).toContain('rules/force  not: command: wanted git push --force, saw npm test --silent ⏎ exit 3')
  expect(out).toContain('rules/fails  not: moment: wanted after a call, saw before-tool')
  expect(out).toMatch(/after shell: .*\n {2}rules\/fails\n {4}It matches\.\n/)
  expect(await at.run('health')).toMatchObject({ code: 1, err: expect.stringContaining('is not running') })
})

test('--entry tells each condition; a denied call, a write and a call of a subagent are read back too', async () => {
  using at = new Author({ force: FORCE, src: '---\nwhen: {path: "*.ts", access: write}\nscope: {agents: main}\n---\nX.\n' })
  const why = async (name: string, ...more: string[]) => (await at.run('why', '--last', '--records', join(RECORDS, name), ...more)).out
  expect(await why('tool-denied.Bash.jsonl')).toContain('(denied: it never ran)')
  expect(await why('tool-ok.Write.jsonl')).toContain('rules/src\n    It matches.')
  expect(await why('subagent.jsonl', '--entry', 'src')).toContain('out of scope  agents    wanted: main   seen: subagent')
  expect(JSON.parse(await why('tool-denied.Bash.jsonl', '--json'))).toMatchObject({
    wasDenied: true,
    moments: [{ moment: 'before-tool', entries: expect.arrayContaining([expect.objectContaining({ entry: 'rules/force' })]) }],
  })
})

test("without --records the file is found by the session, in the harness's own folder", async () => {
  using at = new Author({ fails: FAILS })
  const folder = join(at.home, '.claude/projects/-home-dev-project')
  mkdirSync(folder, { recursive: true })
  cpSync(failed, join(folder, 'one.jsonl'))
  expect((await at.run('why', '--last')).out).toContain('call toolu_0006')
  expect((await at.run('why', '--call', 'toolu_0006')).out).toContain(join(folder, 'one.jsonl'))
  expect(await at.run('why', '--call', 'toolu_9')).toMatchObject({
    code: 1,
    err: expect.stringContaining('no session file holds the call toolu_9'),
  })
  expect(await at.run('why')).toMatchObject({ code: 64, err: expect.stringContaining('give --last, or --call ID') })
})

test('a call of another harness is found by its records, whichever was written last', async () => {
  using at = new Author({ force: FORCE })
  const of = (harness: string, name: string) =>
    readFileSync(fileURLToPath(new URL(`../harness/${harness}/fixtures/transcript/${name}`, import.meta.url)), 'utf8')
  at.write('.grok/sessions/%2Fapp/s1/chat_history.jsonl', of('grok', 'chat_history.user-and-tools.jsonl'))
  const rollout = of('codex', '01-session-head.jsonl') + of('codex', '02-shell-ok.jsonl')
  const file = at.write('.codex/sessions/2026/11/30/rollout-2026-11-30T14-31-00-x.jsonl', rollout)
  utimesSync(file, new Date(), new Date(Date.now() + 60_000))
  expect((await at.run('why', '--last')).out).toMatch(/^call c_ok, from .*rollout-.*\n\nbefore shell: echo hi; cat a\.txt/)
  expect((await at.run('why', '--last', '--records', file)).out).toContain('after shell:')
  expect((await at.run('why', '--call', 'c_ok')).code).toBe(0)
})

function serve(at: Author) {
  const paths = pathsFrom(at.env)
  const now = () => Date.now()
  const tokens = openTokens(paths.tokens, { now })
  const open = () => openEngine({ paths, version: '0.0.0', now, tokens, env: at.env })
  return startServer({ paths, port: 0, version: '0.0.0', now, tokens, openEngine: open, report: () => {} })
}

test('a call of Grok Build is known by its id, though the log`s own ends in a time', async () => {
  using at = new Author({ commits: COMMITS })
  const server = await serve(at)
  const session = '00000000-0000-7000-8000-000000000009'
  const folder = `.grok/sessions/${encodeURIComponent(at.home)}/${session}`
  at.write(`${folder}/chat_history.jsonl`, `${calls(shell('call_9', 'git commit -m x'))}\n`)
  const event = {
    hookEventName: 'pre_tool_use',
    hook_event_name: 'PreToolUse',
    sessionId: session,
    cwd: at.home,
    timestamp: '2026-11-30T12:00:00.000000000+00:00',
    toolName: 'run_terminal_command',
    toolUseId: 'call_9',
    toolInput: { command: 'git commit -m x' },
  }
  await server.engine.moment({ harness: 'grok', event, delivery: null, off: false, arrived: performance.now() })
  const told = [await at.run('why', '--last'), await at.run('why', '--call', 'call_9')]
  await server.close()
  for (const { out } of told) expect(out).toContain('before shell: git commit -m x   log: denied')
})

test('where the server runs, the log says what became of each entry', async () => {
  using at = new Author({ commits: COMMITS, force: FORCE })
  const server = await serve(at)
  const session = '00000000-0000-4000-8000-000000000009'
  const line = {
    type: 'assistant',
    uuid: 'u',
    sessionId: session,
    cwd: at.home,
    message: {
      id: 'm',
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'toolu_7', name: 'Bash', input: { command: 'git commit -m x' } }],
    },
  }
  const records = at.write(`.claude/projects/-app/${session}.jsonl`, `${JSON.stringify(line)}\n`)
  const event = {
    session_id: session,
    transcript_path: records,
    cwd: at.home,
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command: 'git commit -m x' },
    tool_use_id: 'toolu_7',
  }
  await server.engine.moment({ harness: 'claude-code', event, delivery: null, off: false, arrived: performance.now() })
  const { out } = await at.run('why', '--last')
  await server.close()
  expect(out).toContain('before shell: git commit -m x   log: denied')
  expect(out).toMatch(/rules\/commits {2}log: (held|delivery_unverified)\n/)
})
