import { expect, test } from 'vitest'
import type { Place } from '../place.ts'
import { tidied } from './tidy.ts'
import type { Heard } from './tap.ts'

const ROOT = '/tmp/contextmd-canary-x1'
const put = async (path: string): Promise<string> => path
const place: Place = {
  root: ROOT,
  home: `${ROOT}/home`,
  harnessConfig: `${ROOT}/harness-config`,
  project: `${ROOT}/project`,
  store: `${ROOT}/rules`,
  data: `${ROOT}/data`,
  env: {},
  entry: put,
  write: put,
  remove: async () => {},
}
const SESSION = '5b9ae6f2-1c1f-4f6f-8a86-0d2d3f8f2f11'
const FILE = `${ROOT}/harness-config/projects/-tmp-contextmd-canary-x1-project/${SESSION}.jsonl`
const RULE = 'Rules:\nOne rule.'
const PROSE = 'You are told many things by the program.'

const event = (number: number, name: string, more: object, text: string | null, reason: string | null = null): Heard => ({
  kind: 'event',
  number,
  event: { hook_event_name: name, transcript_path: FILE, session_id: SESSION, ...more },
  text,
  reason,
})
const records = (...lines: readonly object[]): Heard => ({ kind: 'records', lines: lines.map((line) => JSON.stringify(line)) })
const tidy = (...heard: readonly Heard[]) => tidied(heard, { place, version: '1.2.3', prompts: ['Go on'] })

test('ids, paths and times are plain', () => {
  const [head, first] = tidy(event(1, 'SessionStart', { cwd: `${ROOT}/project`, at: '2026-11-30T17:32:00.891Z' }, null))
  expect(head).toEqual({ recording: { harness: 'claude-code', version: '1.2.3', home: '/home/dev' } })
  expect(first).toEqual({
    event: {
      hook_event_name: 'SessionStart',
      transcript_path: '/home/dev/.claude/projects/-home-dev-project/00000000-0000-4000-8000-000000000001.jsonl',
      session_id: '00000000-0000-4000-8000-000000000001',
      cwd: '/home/dev/project',
      at: '2026-01-05T09:00:00.000Z',
    },
  })
})

test('our texts become placeholders, prose of the program is left out, the texts of the session stay', () => {
  const said = { type: 'text', text: `SessionStart hook additional context: ${RULE}\n\n${PROSE}\n\nMore.` }
  const [, , step] = tidy(
    event(1, 'SessionStart', {}, RULE),
    records(
      { type: 'attachment', attachment: { type: 'skill_listing', content: PROSE } },
      { type: 'attachment', attachment: { type: 'hook_additional_context', content: [RULE] }, rendered: [{ content: PROSE }] },
      { type: 'user', message: { role: 'user', content: 'Go on' } },
      { type: 'user', message: { role: 'user', content: PROSE } },
      { type: 'api-request-blob', hash: 'h', message: { role: 'system', content: [said] } },
      { type: 'api-request-blob', hash: 'i', message: { role: 'system', content: [{ type: 'text', text: PROSE }] } },
    ),
  )
  const text = 'SessionStart hook additional context: {{answer 1}}\n\n[harness text, 47 chars]'
  expect(step).toEqual({
    records: [
      { type: 'attachment', attachment: { type: 'hook_additional_context', content: ['{{answer 1}}'] } },
      { type: 'user', message: { role: 'user', content: 'Go on' } },
      { type: 'user', message: { role: 'user', content: '[harness text, 40 chars]' } },
      {
        type: 'api-request-blob',
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        message: { role: 'system', content: [{ type: 'text', text }] },
      },
    ],
  })
})

test('of two denies with the same reason each result names its own', () => {
  const denied = (reason: string) => ({ tool_calls: [{ tool_name: 'Bash', tool_use_id: 'c', tool_response: `hook error: ${reason}` }] })
  const steps = tidy(
    event(1, 'PreToolUse', {}, null, 'Read it first.'),
    event(2, 'PostToolBatch', denied('Read it first.'), null),
    event(3, 'PreToolUse', {}, null, 'Read it first.'),
    event(4, 'PostToolBatch', denied('Read it first.'), null),
  )
  expect(steps[2]).toMatchObject({ event: { tool_calls: [{ tool_response: 'hook error: {{reason 1}}' }] } })
  expect(steps[4]).toMatchObject({ event: { tool_calls: [{ tool_response: 'hook error: {{reason 3}}' }] } })
})
