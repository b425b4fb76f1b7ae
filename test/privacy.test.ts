/**
 * Law 16: nothing that people typed, no command, no result, no text of a file and no path outside the project is kept or told.
 *
 * A whole session is played through the real server in a process of its own, with a secret in every field that can hold one. Then
 * the database, the data folder, the server's output and every answer are searched for them.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { pathsFrom } from '../src/paths.ts'
import { readServerFile } from '../src/server/server-file.ts'
import { openTokens } from '../src/state/tokens.ts'

const MAIN = resolve(import.meta.dirname, '../src/cli/main.ts')
const SESSION = '00000000-0000-4000-8000-00000000000a'
const MOST_ASKS = 2_000

const ENTRIES = {
  commits: 'title: Commits\nmust-know: true\nwhen:\n  - command: git commit',
  push: 'title: Push\nforbid: true\nwhen:\n  - command: git push --force',
  prompts: 'title: Prompts\nwhen:\n  - prompt: deploy',
  files: 'title: Files\nwhen:\n  - path: ["**/*.ts"]\n    access: [read, write]',
  contents: 'title: Contents\nwhen:\n  - content: password',
  outputs: 'title: Outputs\nwhen:\n  - output: refused',
  failures: 'title: Failures\nwhen:\n  - command: npm test\n    failed: true',
  start: 'title: Start\nwhen:\n  - session: [start, compact, subagent]',
}

/** Words that stand nowhere else, each with the place where it was planted. */
class Secrets {
  readonly #planted = new Map<string, string>()

  plant(where: string): string {
    const word = `Zq${this.#planted.size}x${Buffer.from(where).toString('hex').slice(0, 12)}qZ`
    this.#planted.set(word, where)
    return word
  }

  add(word: string, where: string): void {
    this.#planted.set(word, where)
  }

  /** Where the secrets that stand in this text were planted. */
  in(text: string): readonly string[] {
    return [...this.#planted].filter(([word]) => text.includes(word)).map(([, where]) => where)
  }
}

async function startServer() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'contextmd-privacy-')))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const env = { HOME: home, PATH: process.env['PATH'] ?? '' }
  const paths = pathsFrom(env)
  mkdirSync(join(paths.config, 'rules'), { recursive: true })
  for (const [name, head] of Object.entries(ENTRIES))
    writeFileSync(join(paths.config, 'rules', `${name}.md`), `---\n${head}\n---\nThe rule of ${name}.\n`)
  writeFileSync(paths.serving, JSON.stringify({ stores: [{ name: 'mine', folder: join(paths.config, 'rules') }] }))

  const child = spawn(process.execPath, [MAIN, 'serve', '--port', '0'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  child.stderr.on('data', (chunk) => (output += String(chunk)))
  const lines = createInterface({ input: child.stdout })
  lines.on('line', (line) => (output += `${line}\n`))
  await once(lines, 'line')
  const address = readServerFile(paths.server)?.address ?? ''
  const tokens = openTokens(paths.tokens, { now: () => Date.now() })
  const { token } = tokens.issue({ name: 'hooks', scopes: ['orchestration:read'], days: 1 })
  const own = readFileSync(paths.ownToken, 'utf8').trim()
  return {
    home,
    paths,
    token,
    output: () => output,
    post: async (path: string, body: string, bearer = token) =>
      await fetch(`${address}/contextmd/v1/${path}`, { method: 'POST', body, headers: { authorization: `Bearer ${bearer}` } }),
    get: async (path: string) =>
      await (await fetch(`${address}/contextmd/v1/${path}`, { headers: { authorization: `Bearer ${own}` } })).text(),
    stop: async () => {
      const gone = once(child, 'close')
      child.kill('SIGTERM')
      await gone
    },
  }
}

/** The files of a folder and of those below it, with what they hold. */
function filesIn(folder: string): readonly (readonly [file: string, content: string])[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((found) => found.isFile())
    .map((found) => join(found.parentPath, found.name))
    .map((file) => [file, readFileSync(file, 'latin1')] as const)
}

test('law 16: after a whole session no secret stands in the database, the data folder, the output or any answer', async () => {
  const server = await startServer()
  const secrets = new Secrets()
  secrets.add(server.token, 'the token of the hooks')
  const project = join(server.home, 'project')
  mkdirSync(project)
  const outside = `/home/dev/${secrets.plant('a folder outside')}`
  const records = join(server.home, '.claude', 'projects', '-home-dev-project', `${SESSION}.jsonl`)
  mkdirSync(dirname(records), { recursive: true })

  const answers: string[] = []
  const events = new Map<string, number>()
  let replies = 0
  const tell = async (name: string, more: object = {}): Promise<string> => {
    events.set(name, (events.get(name) ?? 0) + 1)
    const event = {
      session_id: SESSION,
      transcript_path: records,
      cwd: project,
      hook_event_name: name,
      permission_mode: 'default',
      ...more,
    }
    const response = await server.post('moment?harness=claude-code', JSON.stringify(event))
    const text = await response.text()
    expect([200, 204]).toContain(response.status)
    answers.push(text)
    return text
  }
  const write = (line: object): void =>
    appendFileSync(records, `${JSON.stringify({ uuid: `u${(replies += 1)}`, sessionId: SESSION, ...line })}\n`)
  const modelSays = (content: readonly object[]): void =>
    write({ type: 'assistant', requestRef: `request-${replies}`, message: { id: `m${replies}`, role: 'assistant', content } })
  const call = async (tool: string, input: object, result: object, event = 'PostToolUse'): Promise<string> => {
    const id = `toolu_${(replies += 1)}`
    const named = { tool_name: tool, tool_input: input, tool_use_id: id, prompt_id: 'p1' }
    modelSays([
      { type: 'text', text: secrets.plant('what the model says') },
      { type: 'tool_use', id, name: tool, input },
    ])
    const answer = await tell('PreToolUse', named)
    // what a hook gave stands in the records, beside the result
    const given =
      answer === '' ? {} : ((JSON.parse(answer) as { hookSpecificOutput?: { additionalContext?: string } }).hookSpecificOutput ?? {})
    if (given.additionalContext !== undefined) {
      const attachment = {
        type: 'hook_additional_context',
        content: [given.additionalContext],
        hookName: `PreToolUse:${tool}`,
        toolUseID: id,
        hookEvent: 'PreToolUse',
      }
      write({ type: 'attachment', attachment })
    }
    await tell(event, { ...named, ...result })
    const content = [{ type: 'tool_result', tool_use_id: id, content: secrets.plant('a result in the records') }]
    write({ type: 'user', message: { role: 'user', content }, toolUseResult: result })
    await tell('PostToolBatch', {
      tool_calls: [{ tool_name: tool, tool_input: input, tool_use_id: id, tool_response: secrets.plant('a batch') }],
      prompt_id: 'p1',
    })
    return answer
  }

  await tell('SessionStart', { source: 'startup', model: secrets.plant('the model') })
  write({ type: 'user', message: { role: 'user', content: secrets.plant('a prompt in the records') } })
  await tell('UserPromptSubmit', { prompt: `deploy ${secrets.plant('a prompt')}`, prompt_id: 'p1' })
  await tell('UserPromptSubmit', { prompt: secrets.plant('a prompt that matches nothing') })
  const commit = `git commit -m ${secrets.plant('a commit message')} --author ${secrets.plant('an author')}`
  const held = await call(
    'Bash',
    { command: commit, description: secrets.plant('a description') },
    { tool_response: { stdout: '', stderr: secrets.plant('stderr') } },
  )
  expect(held).toContain('The rule of commits.')
  await call('Bash', { command: commit }, { tool_response: { stdout: `refused ${secrets.plant('stdout')}`, stderr: '' } })
  await call(
    'Bash',
    { command: `git push --force ${secrets.plant('a remote')}` },
    { error: secrets.plant('a refused call') },
    'PostToolUseFailure',
  )
  await call(
    'Bash',
    { command: `npm test ${secrets.plant('an argument')}` },
    { error: `Exit code 1\n${secrets.plant('an error')}` },
    'PostToolUseFailure',
  )
  await call(
    'Bash',
    { command: `cat ${outside}/${secrets.plant('a file in a command')}` },
    { tool_response: { stdout: secrets.plant('a file that was read') } },
  )
  await call('Bash', { command: `echo "$( ${secrets.plant('a command that can not be parsed')} "` }, { tool_response: { stdout: '' } })
  const file = join(project, `${secrets.plant('a file of the project')}.ts`)
  await call('Write', { file_path: file, content: `password ${secrets.plant('what is written')}` }, { tool_response: { filePath: file } })
  const edit = {
    file_path: `${outside}/x.ts`,
    old_string: secrets.plant('the old text'),
    new_string: `password ${secrets.plant('the new text')}`,
  }
  await call('Edit', edit, { tool_response: { originalFile: secrets.plant('the file before') } })
  await call(
    'Read',
    { file_path: `${outside}/${secrets.plant('a file outside')}` },
    { tool_response: { file: { content: secrets.plant('what was read') } } },
  )
  await call('Grep', { pattern: secrets.plant('a pattern'), path: outside }, { tool_response: secrets.plant('what was found') })
  await call(
    'WebFetch',
    { url: `https://example.com/${secrets.plant('an address')}`, prompt: secrets.plant('a question') },
    { tool_response: secrets.plant('a page') },
  )
  await call('mcp__db__query', { sql: secrets.plant('a query') }, { tool_response: secrets.plant('rows') })
  await tell('SubagentStart', { agent_id: 'a1', agent_type: 'Explore', prompt: secrets.plant('a task') })
  await tell('UserPromptSubmit', { prompt: secrets.plant("a subagent's prompt"), agent_id: 'a1', agent_type: 'Explore' })
  await tell('SubagentStop', { agent_id: 'a1', last_assistant_message: secrets.plant("a subagent's answer") })
  await tell('Notification', { message: secrets.plant('a notice'), title: secrets.plant('a title') })
  await tell('PermissionDenied', {
    tool_name: 'Bash',
    tool_use_id: 'toolu_x',
    tool_input: { command: secrets.plant('a call the harness refused') },
    reason: secrets.plant('a reason'),
  })
  await tell('SomethingNew', { [secrets.plant('a key')]: secrets.plant('a value'), text: [secrets.plant('a list')] })
  await tell('SessionStart', { source: 'compact', summary: secrets.plant('a summary') })
  write({ type: 'user', isCompactSummary: true, message: { role: 'user', content: secrets.plant('a summary in the records') } })
  modelSays([{ type: 'text', text: secrets.plant('the last word') }])
  await tell('Stop', { last_assistant_message: secrets.plant('the last message'), stop_hook_active: false })
  await tell('SessionEnd', { reason: secrets.plant('an end') })

  // what can't be analysed holds secrets too
  const odd = [
    ['moment?harness=claude-code', `{"prompt": "${secrets.plant('half a body')}`],
    ['moment?harness=claude-code', JSON.stringify({ prompt: secrets.plant('an event without a session') })],
    ['moment?harness=claude-code', JSON.stringify([secrets.plant('a list as an event')])],
    ['moment?harness=vim', JSON.stringify({ prompt: secrets.plant('an event of another program') })],
    ['moment', JSON.stringify({ prompt: secrets.plant('an event without a harness') })],
    ['settle', JSON.stringify({ delivery: secrets.plant('a delivery'), outcome: 'handed' })],
  ] as const
  for (const [path, body] of odd) answers.push(await (await server.post(path, body)).text())
  answers.push(await (await server.post('moment?harness=claude-code', '{}', secrets.plant('a wrong token'))).text())

  // it was a session in which all of it happened, up to the proof
  let log = ''
  for (let ask = 0; ask < MOST_ASKS && !log.includes('"outcome":"shown"'); ask++) log = await server.get('log?limit=1000')
  expect(log).toContain('"outcome":"shown"')
  const rows = (JSON.parse(log) as { moments: { outcome: string; event: string; candidates: { entry: string }[] }[] }).moments
  expect(rows.filter((row) => row.outcome === 'denied').length).toBeGreaterThanOrEqual(2)
  expect([...new Set(rows.flatMap((row) => row.candidates.map(({ entry }) => entry)))].toSorted()).toEqual(
    Object.keys(ENTRIES)
      .map((name) => `mine/${name}`)
      .toSorted(),
  )
  expect(rows).toHaveLength([...events.values()].reduce((sum, count) => sum + count, 0))

  const told = new Map(answers.map((answer, index) => [`answer ${index}`, answer]))
  for (const path of ['log?limit=1000', 'report?since=0', 'threads', 'metrics', 'health', 'entries']) told.set(path, await server.get(path))
  told.set('health?check=state', await server.get('health?check=state'))
  const kept = filesIn(server.paths.data)
  expect(kept.map(([name]) => name)).toEqual(expect.arrayContaining([server.paths.state, `${server.paths.state}-wal`]))
  await server.stop()
  told.set('output', server.output())

  const found = (name: string, text: string): readonly string[] => secrets.in(text).map((where) => `${where}: in ${name}`)
  expect([...told].flatMap(([name, text]) => found(name, text))).toEqual([])
  expect([...kept, ...filesIn(server.paths.data)].flatMap(([name, text]) => found(name, text))).toEqual([])
  expect(existsSync(server.paths.server)).toBe(false)
  // the search itself finds what is there
  expect(filesIn(dirname(records)).flatMap(([, text]) => secrets.in(text)).length).toBeGreaterThan(10)
  expect(secrets.in(readFileSync(server.paths.state, 'latin1') + server.token)).toEqual(['the token of the hooks'])
})
