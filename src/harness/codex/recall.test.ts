import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { HARNESSES } from '../all.ts'
import { recall } from './recall.ts'
import { recorded } from './rollout.fixture.ts'

const SESSION = '00000000-0000-7000-8000-000000000001'
const codex = HARNESSES.find(({ profile }) => profile.name === 'codex')

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'contextmd-recall-codex-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

function rollout(lines: readonly string[], thread = SESSION, day = '2026/11/30'): string {
  const file = join(home, '.codex', 'sessions', day, `rollout-2026-11-30T14-31-00-${thread}.jsonl`)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${lines.join('\n')}\n`)
  return file
}

const HEAD = recorded('01-session-head')

/** The moments of a call, as the decoder takes the events that were made anew. */
async function moments(file: string, wanted: string | null) {
  const found = await recall.call(file, wanted)
  const events = found === null ? [] : [found.before, ...(found.after === null ? [] : [found.after])]
  return { found, moments: events.map((event) => codex?.decode(event, 0)).flatMap((one) => (one?.ok === true ? [one.moment] : [])) }
}

describe('a call is read back as the events that its hooks posted', () => {
  test('in the shell, with its folder, its output and its exit code', async () => {
    const file = rollout([...HEAD, ...recorded('02-shell-ok'), ...recorded('03-shell-failed-exit-3')])
    const ok = await moments(file, 'c_ok')
    expect(ok.moments).toMatchObject([
      {
        kind: 'before-tool',
        context: `codex/${SESSION}`,
        cwd: '/home/dev/project',
        call: { tool: 'shell', command: 'echo hi; cat a.txt' },
      },
      { kind: 'after-tool', deliveryId: `${SESSION}/PostToolUse/c_ok`, result: { state: 'ok', exitCode: 0, output: 'hi\nhello\n' } },
    ])
    expect(ok.found).toMatchObject({ wasDenied: false, at: Date.parse('2026-11-30T14:31:00.936Z') })
    const last = await moments(file, null)
    expect(last.moments[1]).toMatchObject({ kind: 'after-tool', result: { state: 'failed', exitCode: 3 } })
  })

  test('a patch, and a tool of an MCP server', async () => {
    const file = rollout([...HEAD, ...recorded('04-apply-patch'), ...recorded('06-mcp-ok-and-error')])
    const [patch] = (await moments(file, 'c_patch')).moments
    expect(patch).toMatchObject({ call: { tool: 'edit', content: expect.stringContaining('new line') } })
    expect(patch?.kind === 'before-tool' && patch.call.paths.map(({ path }) => path)).toContain('/home/dev/project/sub/new.txt')
    expect((await moments(file, 'c_mcp')).moments).toMatchObject([
      { call: { tool: 'mcp:lab/echo' } },
      { result: { state: 'ok', output: 'echo:hey' } },
    ])
    expect((await moments(file, 'c_mcpboom')).moments[1]).toMatchObject({ result: { state: 'failed' } })
  })

  test('of a script (code mode), by the id that hooks were given', async () => {
    const file = rollout([...HEAD, ...recorded('16-code-mode-ok-and-failed')])
    const call = 'exec-00000000-0000-7000-8000-000000000012'
    expect((await moments(file, call)).moments).toMatchObject([
      { deliveryId: `${SESSION}/PreToolUse/${call}`, call: { command: 'echo hi; cat a.txt' } },
      { result: { output: 'hi\nhello\n' } },
    ])
    expect((await recall.call(file, 'x_ok'))?.call).toBeUndefined()
  })

  test('a denied one, which never ran', async () => {
    const file = rollout([...HEAD, ...recorded('12-denied'), ...recorded('13-denied-patch-and-mcp')])
    for (const call of [null, 'k2']) {
      const { found } = await moments(file, call)
      expect(found).toMatchObject({ wasDenied: true, after: null })
    }
    expect((await moments(file, 'k3')).moments).toMatchObject([{ call: { tool: 'mcp:lab/echo' } }])
  })

  test('of a subagent, in its own file', async () => {
    const file = rollout([...recorded('20-subagent-head'), ...recorded('02-shell-ok')])
    expect((await moments(file, 'c_ok')).moments[0]).toMatchObject({
      session: '00000000-0000-7000-8000-000000000013',
      agent: '00000000-0000-7000-8000-000000000016',
    })
  })

  test('broken lines are passed over; an unknown call, or a file of another kind, is none', async () => {
    const file = rollout(['{"torn', ...HEAD, '', '[]', ...recorded('02-shell-ok'), '{"type":"response_item","payl'])
    expect((await recall.call(file, 'c_ok'))?.call).toBe('c_ok')
    expect(await recall.call(file, 'c_o')).toBeNull()
    expect(await recall.call(rollout(recorded('02-shell-ok')), 'c_ok')).toBeNull()
  })
})

test('files are found by thread, and without one all of them; CODEX_HOME is honoured', () => {
  const [one, two] = [rollout([]), rollout([], 'agent-thread', '2026/12/01')]
  const place = { home, env: {} }
  expect(recall.files(place, SESSION, null)).toEqual([one])
  expect(recall.files(place, SESSION, 'agent-thread')).toEqual([two])
  expect(new Set(recall.files(place, null, null))).toEqual(new Set([one, two]))
  expect(recall.files({ home: '/nowhere', env: { CODEX_HOME: join(home, '.codex') } }, SESSION, null)).toEqual([one])
  expect(recall.files({ home: '/nowhere', env: {} }, null, null)).toEqual([])
})
