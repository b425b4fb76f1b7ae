/** R10, law 12: a file that was read before any call was held is known when the call comes, where the records alone prove reads (Codex). */
import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import * as r from '../harness/codex/rollout.fixture.ts'
import { entryHead } from '../match/entry-read.ts'
import { pathsFrom } from '../paths.ts'
import { openEngine } from './open.ts'

const RULE = 'New files get an owner in OWNERS.'
const THREAD = '00000000-0000-7000-8000-000000000001'

/** A thread of Codex with one must-know rule on `touch`, and its rollout file. */
function thread() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'contextmd-read-first-')))
  const paths = pathsFrom({ HOME: home })
  const rule = join(paths.config, 'rules', 'owners.md')
  const records = join(home, '.codex', 'sessions', '2026', '01', '05', `rollout-2026-01-05T09-00-00-${THREAD}.jsonl`)
  for (const file of [rule, records]) mkdirSync(dirname(file), { recursive: true })
  writeFileSync(rule, `---\ntitle: Owners\nmust-know: true\nwhen:\n  - command: touch\n---\n${RULE}\n`)
  writeFileSync(paths.serving, JSON.stringify({ stores: [{ name: 'rules', folder: dirname(rule) }], ownFiles: false }))
  writeFileSync(records, '')
  const engine = openEngine({ paths, version: '0', now: () => Date.now(), env: { HOME: home, CONTEXTMD_TEST_PATIENCE: '40' } })
  onTestFinished(async () => {
    await engine.close()
    rmSync(home, { recursive: true, force: true })
  })
  const tell = async (event: object) => {
    const base = { session_id: THREAD, transcript_path: records, cwd: home, turn_id: 't1' }
    const answer = await engine.moment({
      harness: 'codex',
      event: { ...base, ...event },
      delivery: null,
      off: false,
      arrived: performance.now(),
    })
    return answer.ok ? answer.answer.status : answer.why
  }
  return { engine, rule, tell, write: (...lines: readonly string[]) => appendFileSync(records, `${lines.join('\n')}\n`) }
}

const call = (event: string, id: string, tool: string, input: object, more: object = {}) => ({
  hook_event_name: event,
  tool_name: tool,
  tool_input: input,
  tool_use_id: id,
  ...more,
})
const request = (id: string) => ({ hook_event_name: 'PreModelRequest', request_id: id, attempt_number: 1, thread_id: THREAD })

test.each(['shell', 'our own tool'])('R10: a rule that was read by %s first does not hold the call', async (by) => {
  const { engine, rule, tell, write } = thread()
  await tell({ hook_event_name: 'SessionStart', source: 'startup' })
  await tell({ hook_event_name: 'UserPromptSubmit', prompt: 'Add a file' })
  await tell(request('q1'))
  const given = `${entryHead('rules/owners', 'Owners', rule)}\n\n${RULE}`
  // later than the rule was written
  const at = new Date(Date.now() + 1_000).toISOString()
  const [tool, input, response, ran] =
    by === 'shell'
      ? ['Bash', { command: `cat ${rule}` }, RULE, r.ranShell('c1', `cat ${rule}`, 0, at)]
      : [
          'mcp__contextmd__read_entry',
          { id: 'rules/owners' },
          { content: [{ type: 'text', text: given }] },
          r.ranTool('c1', 'read_entry', given, {}, at),
        ]
  write(r.typed(4, 3, 'Add a file'), r.shell(6, 5, 'c1', 'read'))
  await tell(call('PreToolUse', 'c1', String(tool), Object(input)))
  write(String(ran))
  await tell(call('PostToolUse', 'c1', String(tool), Object(input), { tool_response: response }))
  write(r.output(7, 5, 'c1', given))
  await tell(request('q2'))
  write(r.shell(8, 7, 'c2', 'touch a'))
  expect(await tell(call('PreToolUse', 'c2', 'Bash', { command: 'touch a' }))).toBe(204)
  expect(engine.log({}).flatMap(({ gates }) => gates.map(({ lift }) => lift))).toEqual(['read'])
})
