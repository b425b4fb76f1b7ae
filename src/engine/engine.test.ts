import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { id, type DeliveryId } from '../core/id.ts'
import { Desk, textsIn } from './engine.fixture.ts'

const COMMIT = '---\ntitle: Commit messages\nmust-know: true\nwhen:\n  - command: git commit\n---\nImperative subject.\n'
const START = '---\ntitle: House rules\nwhen:\n  - session: start\n---\nBe kind.\n'
const PUSH = '---\ntitle: No force\nforbid: true\nwhen:\n  - command: git push --force\n---\nNever.\n'
const PUBLISH = '---\ntitle: Publishing\nmust-know: true\nread: ./guide.txt\nwhen:\n  - command: npm publish\n---\n'

let desk: Desk
afterEach(() => desk.end())

describe('a session', () => {
  test('serves the pack at the start, once, and proves it from the session file', async () => {
    desk = new Desk({ house: START })
    const started = await desk.start()
    expect(textsIn(started.text)).toEqual(['Be kind.'])
    expect((await desk.prompt()).status).toBe(204)
    desk.arrives('SessionStart', 'SessionStart', started.text)
    desk.answers({ id: 'toolu_a', command: 'ls' })
    await desk.bash('ls', 'toolu_a')
    await desk.batchEnd('toolu_a')
    desk.engine.log({})
    await desk.engine.drain()
    expect(desk.outcomes('rules/house')).toEqual(['shown'])
  })

  test('holds a call until the text was shown, then lets the first retry through (G21)', async () => {
    desk = new Desk({ commit: COMMIT })
    await desk.start()
    await desk.prompt()
    desk.answers({ id: 'toolu_a', command: 'git commit' })
    const denied = await desk.bash('git commit -m x', 'toolu_a')
    expect(denied.decision).toBe('deny')
    expect(textsIn(denied.text)).toEqual(['Imperative subject.'])
    desk.isDenied('toolu_a', denied.reason)
    desk.arrives('PreToolUse', 'toolu_a', denied.text)
    await desk.batchEnd('toolu_a')
    // the line that proves it comes while the retry's hook is already waiting
    const retry = desk.bash('git commit -m x', 'toolu_b')
    setImmediate(() => desk.answers({ id: 'toolu_b', command: 'git commit' }))
    expect((await retry).status).toBe(204)
    expect(desk.outcomes('rules/commit')).toEqual(['shown', 'lifted'])
  })

  test('law 6: no call of the same reply is freed by a sibling, whatever is on disk', async () => {
    desk = new Desk({ commit: COMMIT })
    await desk.start()
    await desk.prompt()
    desk.answers({ id: 'toolu_a', command: 'git commit' })
    const calls = Array.from({ length: 48 }, (_, call) => `toolu_${call}x`)
    const told = await Promise.all(calls.map((call) => desk.bash('git commit -m x', call)))
    // on a busy machine some come too late to be decided about (law 17): they pass, and no other
    const late = desk.engine.health().counters['moments_late'] ?? 0
    expect(told.filter(({ decision }) => decision !== 'deny')).toHaveLength(late)
    const withText = told.flatMap(({ text }, at) => (text === '' ? [] : [at]))
    expect(withText).toHaveLength(1)
    const first = withText[0]!
    desk.isDenied(calls[first]!, told[first]!.reason)
    expect((await desk.bash('git commit -m x', 'toolu_late')).decision).toBe('deny')
  })

  test('a pointer lifts when its file was read in an earlier reply, by the read tool or the shell', async () => {
    desk = new Desk({ publish: PUBLISH })
    const guide = join(desk.rules, 'guide.txt')
    writeFileSync(guide, 'First tag, then publish.\n')
    await desk.start()
    await desk.prompt()
    desk.answers()
    expect((await desk.bash('npm publish')).decision).toBe('deny')
    await desk.batchEnd('toolu_2')
    await desk.bash(`cat ${guide}`, 'toolu_read')
    await desk.bashDone(`cat ${guide}`, 'toolu_read', 'First tag, then publish.')
    expect((await desk.bash('npm publish', 'toolu_same')).decision).toBe('deny')
    await desk.batchEnd('toolu_read', 'toolu_same')
    expect((await desk.bash('npm publish', 'toolu_next')).status).toBe(204)
    expect(desk.outcomes('rules/publish').at(-1)).toBe('lifted')
  })

  test('a forbidden call is denied every time; a person can lift it', async () => {
    desk = new Desk({ push: PUSH })
    await desk.start()
    await desk.prompt()
    for (let round = 0; round < 8; round += 1) {
      expect((await desk.bash('git push --force')).decision).toBe('deny')
      await desk.batchEnd(desk.newCall())
    }
    expect(desk.engine.lift('rules/push' as never)).toBe(1) // a brand has no value
    expect((await desk.bash('git push --force')).status).toBe(204)
  })

  test('an edit is in force at the next moment', async () => {
    desk = new Desk({ commit: COMMIT })
    await desk.start()
    expect((await desk.bash('git commit')).text).toContain('Imperative subject.')
    desk.rule('commit', COMMIT.replace('Imperative', 'Past tense'))
    await desk.batchEnd('toolu_1')
    expect((await desk.bash('git commit')).text).toContain('Past tense subject.')
    rmSync(join(desk.rules, 'commit.md'))
    expect((await desk.bash('git commit')).status).toBe(204)
  })

  test('state survives a restart: what was shown stays known', async () => {
    desk = new Desk({ house: START })
    const started = await desk.start()
    desk.arrives('SessionStart', 'SessionStart', started.text)
    desk.answers({ id: 'toolu_a', command: 'ls' })
    await desk.restart()
    await desk.bash('ls', 'toolu_a')
    desk.engine.log({})
    await desk.engine.drain()
    expect((await desk.start('resume')).status).toBe(204)
    expect(desk.outcomes('rules/house')).toEqual(['shown', 'known'])
  })

  test('a fork starts from what its records replay', async () => {
    desk = new Desk({ house: START })
    const started = await desk.start()
    await desk.prompt()
    desk.arrives('SessionStart', 'SessionStart', started.text)
    desk.answers()
    const fork = desk.records.replace(/1\.jsonl$/, '2.jsonl')
    writeFileSync(fork, readFileSync(desk.records))
    const forked = { session_id: '00000000-0000-4000-8000-000000000002', transcript_path: fork }
    expect((await desk.tell('SessionStart', { source: 'fork', ...forked })).status).toBe(204)
    desk.rule('more', START.replace('Be kind.', 'Be brief.'))
    const next = await desk.tell('UserPromptSubmit', { prompt: 'go', prompt_id: 'f1', ...forked })
    expect(textsIn(next.text)).toEqual(['Be brief.'])
  })

  test('law 7: in a fork a must-know rule of which only a pointer is replayed is held', async () => {
    desk = new Desk({ commit: COMMIT.replace('Imperative subject.', 'Imperative subject. '.repeat(600)) })
    await desk.start()
    await desk.prompt()
    desk.answers({ id: 'toolu_a', command: 'git commit' })
    const denied = await desk.bash('git commit', 'toolu_a')
    expect(textsIn(denied.text)[0]).toContain('commit.md')
    desk.arrives('PreToolUse', 'toolu_a', denied.text)
    desk.isDenied('toolu_a', denied.reason)
    desk.answers()
    const fork = desk.records.replace(/1\.jsonl$/, '2.jsonl')
    writeFileSync(fork, readFileSync(desk.records))
    const forked = { session_id: '00000000-0000-4000-8000-000000000002', transcript_path: fork }
    await desk.tell('SessionStart', { source: 'fork', ...forked })
    await desk.tell('UserPromptSubmit', { prompt: 'go', prompt_id: 'f1', ...forked })
    const call = { tool_name: 'Bash', tool_input: { command: 'git commit' }, tool_use_id: 'toolu_b', prompt_id: 'f1', ...forked }
    expect((await desk.tell('PreToolUse', call)).decision).toBe('deny')
  })

  test('S14: a server that was started late serves the pack at the first seam', async () => {
    desk = new Desk({ house: START })
    expect(textsIn((await desk.prompt()).text)).toEqual(['Be kind.'])
    expect((await desk.prompt()).status).toBe(204)
  })

  test('X6: what the harness loaded by itself is known and not served again, but it lifts no gate', async () => {
    desk = new Desk({ house: START, commit: COMMIT })
    await desk.tell('InstructionsLoaded', { file_path: join(desk.rules, 'house.md'), load_reason: 'session_start' })
    await desk.tell('InstructionsLoaded', { file_path: join(desk.rules, 'commit.md'), load_reason: 'session_start' })
    await desk.start()
    expect(desk.outcomes('rules/house')).toEqual(['known'])
    expect((await desk.bash('git commit')).decision).toBe('deny')
  })

  test('T10: a compaction that is only announced ends no epoch', async () => {
    desk = new Desk({ house: START })
    await desk.start()
    await desk.tell('PreCompact', { trigger: 'auto' })
    await desk.tell('PostCompact', { trigger: 'auto' })
    await desk.prompt()
    expect(desk.log().map(({ epoch }) => epoch)).toEqual([0, 0, 0, 0])
    await desk.start('compact')
    expect(desk.log().at(-1)?.epoch).toBe(1)
  })

  test('law 16: every moment has its row and every candidate its own, with what it took', async () => {
    desk = new Desk({ house: START, commit: COMMIT, push: PUSH })
    await desk.start()
    await desk.prompt()
    await desk.bash('git commit && git push --force')
    await desk.tell('Stop')
    const rows = desk.log()
    expect(rows.map(({ event, candidates }) => [event, candidates.length])).toEqual([
      ['SessionStart', 1],
      ['UserPromptSubmit', 0],
      ['PreToolUse', 2],
      ['Stop', 0],
    ])
    expect(rows.filter(({ ms }) => !(ms.total > 0 && ms.match > 0 && ms.total > ms.match))).toEqual([])
  })

  test('T9: a subagent is a context of its own', async () => {
    desk = new Desk({ commit: COMMIT, sub: START.replace('start', 'subagent') })
    await desk.start()
    await desk.bash('git commit')
    const agent = { agent_id: 'a1', agent_type: 'general-purpose' }
    expect(textsIn((await desk.tell('SubagentStart', agent)).text)).toEqual(['Be kind.'])
    const call = { tool_name: 'Bash', tool_input: { command: 'git commit' }, tool_use_id: 'toolu_sub', ...agent }
    expect(textsIn((await desk.tell('PreToolUse', call)).text)).toEqual(['Imperative subject.'])
  })
})

describe('delivery', () => {
  test('T1: one delivery id, one reply: repeated later, and when two come at once', async () => {
    desk = new Desk({ commit: COMMIT })
    await desk.start()
    const [one, two] = await Promise.all([desk.bash('git commit', 'toolu_a'), desk.bash('git commit', 'toolu_a')])
    const three = await desk.bash('git commit', 'toolu_a')
    expect([two, three]).toEqual([one, one])
    expect(desk.log().filter(({ kind }) => kind === 'before-tool')).toHaveLength(1)
    // law 4: the repeats have changed nothing
    await desk.bash('ls', 'toolu_b')
    expect(desk.log().map(({ seq }) => seq)).toEqual([1, 2, 3])
  })

  test('a shared reply is dropped only when no client is left to take it', async () => {
    desk = new Desk({ commit: COMMIT })
    desk.settles = false
    const [one] = await Promise.all([desk.bash('git commit', 'toolu_a'), desk.bash('git commit', 'toolu_a')])
    desk.engine.settle(one.delivery as never, 'dropped') // a brand has no value
    desk.engine.settle(one.delivery as never, 'handed') // a brand has no value
    expect(desk.outcomes('rules/commit')).toEqual(['held'])
  })

  test('T12: events without an id of their own are each decided about', async () => {
    desk = new Desk({})
    await desk.start()
    await desk.start('resume')
    await desk.start('resume')
    expect(desk.log()).toHaveLength(3)
  })

  test('T2: a settle past the window is late, of a stranger unknown', async () => {
    desk = new Desk({ commit: COMMIT })
    desk.settles = false
    let ahead = 0
    desk.now = () => Date.now() + ahead
    const denied = await desk.bash('git commit', 'toolu_a')
    ahead = 61_000
    expect(desk.engine.settle('no such' as never, 'handed')).toBe('unknown') // a brand has no value
    expect(denied.delivery).not.toBeNull()
  })
})

describe('liveness', () => {
  test('G18: records that prove nothing hold no call for good, and health says which gate lifted without proof', async () => {
    desk = new Desk({ commit: COMMIT })
    await desk.start()
    desk.write({ type: 'something new', that: 'no version of ours knows' })
    let held = 0
    while ((await desk.bash('git commit')).decision === 'deny' && held < 20) {
      held += 1
      await desk.batchEnd(desk.newCall())
    }
    expect(held).toBe(5)
    expect(desk.engine.health().problems).toMatchObject([{ code: 'gate_unproven', key: 'rules/commit' }])
  })

  test('a session without a file is told apart at the first retry: one deny', async () => {
    desk = new Desk({ commit: COMMIT })
    await desk.start()
    expect((await desk.bash('git commit')).decision).toBe('deny')
    await desk.batchEnd(desk.newCall())
    expect((await desk.bash('git commit')).status).toBe(204)
    expect(desk.engine.health().problems).toMatchObject([{ code: 'gate_assumed' }])
  })
})

describe('what passed without us', () => {
  test('S8: what a client could not post is counted, in health and for the report', async () => {
    desk = new Desk()
    const event = { session_id: desk.session, transcript_path: desk.records, cwd: desk.project, hook_event_name: 'Stop' }
    const missed = [{ cause: 'timed-out', times: 3 }] as const
    await desk.engine.moment({ harness: 'claude-code', event, delivery: null, off: false, missed, arrived: performance.now() })
    expect(desk.engine.health().counters).toMatchObject({ 'missed_timed-out': 3 })
    expect(desk.engine.logbook.totals()?.missed).toEqual([{ harness: 'claude-code', cause: 'timed-out', count: 3 }])
  })

  test('S8: it is told once: with a repeated moment not again, with what is no event all the same', async () => {
    desk = new Desk()
    const event = { session_id: desk.session, transcript_path: desk.records, cwd: desk.project, hook_event_name: 'Stop' }
    const post = (told: object, delivery: string) =>
      desk.engine.moment({
        harness: 'claude-code',
        event: told,
        delivery: id<DeliveryId>(delivery),
        off: false,
        missed: [{ cause: 'refused', times: 2 }],
        arrived: performance.now(),
      })
    for (const delivery of ['one', 'one']) await post(event, delivery)
    expect(desk.engine.health().counters).toMatchObject({ missed_refused: 2 })
    expect(await post({}, 'two')).toMatchObject({ ok: false })
    expect(desk.engine.health().counters).toMatchObject({ missed_refused: 4 })
    expect(desk.engine.logbook.totals()?.missed).toEqual([{ harness: 'claude-code', cause: 'refused', count: 4 }])
  })

  test('law 16: a denied call that ran all the same is counted from the records, once', async () => {
    desk = new Desk({ commit: COMMIT })
    await desk.start()
    desk.answers({ id: 'toolu_a', command: 'git commit' })
    expect((await desk.bash('git commit', 'toolu_a')).decision).toBe('deny')
    desk.write({
      type: 'user',
      uuid: 'ran',
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_a', content: 'done', is_error: false }] },
      toolUseResult: { stdout: 'done', interrupted: false },
      permissionDecision: { decision: 'accept' },
    })
    desk.engine.log({})
    await desk.engine.drain()
    desk.engine.log({})
    await desk.engine.drain()
    expect(desk.engine.logbook.totals()?.missed).toEqual([{ harness: 'claude-code', cause: 'ran-although-denied', count: 1 }])
  })
})

describe('evidence from a client', () => {
  test('moves nothing for a harness that is proven by its own records', async () => {
    desk = new Desk({ commit: COMMIT })
    await desk.start()
    const denied = await desk.bash('git commit')
    expect(desk.engine.evidence(denied.delivery as never, 'shown')).toBe('refused') // a brand has no value
    expect(desk.engine.evidence('no such' as never, 'shown')).toBe('unknown') // a brand has no value
    expect(desk.outcomes('rules/commit')).toEqual(['held'])
  })
})

describe('hostile events', () => {
  test('a path or an id that can not be real is refused at once, and counted', async () => {
    desk = new Desk({ commit: COMMIT })
    const deep = `/${'a/'.repeat(400_000)}`
    await expect(desk.tell('UserPromptSubmit', { prompt: 'x', prompt_id: 'p', cwd: deep })).rejects.toThrow(/deeper than any real one/)
    const write = { tool_name: 'Write', tool_input: { file_path: deep, content: '' }, tool_use_id: 'toolu_x' }
    await expect(desk.tell('PreToolUse', write)).rejects.toThrow(/deeper than any real one/)
    await expect(desk.tell('SessionStart', { source: 'startup', session_id: 's'.repeat(1_000_000) })).rejects.toThrow(/an id/)
    expect(desk.engine.health().counters['not_analysed']).toBe(3)
  })
})

describe('off', () => {
  test('serves nothing until it is on again, and logs that', async () => {
    desk = new Desk({ commit: COMMIT })
    desk.engine.off(null)
    expect((await desk.bash('git commit')).status).toBe(204)
    expect(desk.engine.health().state).toBe('off')
    desk.engine.on()
    expect((await desk.bash('git commit')).decision).toBe('deny')
    expect(desk.log().map(({ outcome }) => outcome)).toEqual(['off', 'denied'])
  })
})

describe('faults', () => {
  test('S1: a state that is no database disables serving, says why, and every moment is answered', async () => {
    desk = new Desk({ commit: COMMIT })
    await desk.start()
    await desk.restart()
    writeFileSync(desk.paths.state, 'not a database, but long enough to be looked at as if it were one')
    rmSync(`${desk.paths.state}-wal`, { force: true })
    expect((await desk.bash('git commit')).status).toBe(204)
    expect(desk.engine.health()).toMatchObject({ state: 'disabled', problems: [{ code: 'state_corrupt' }] })
  })

  test('law 17: a state that fails as health is asked for is a problem in it, no failure of it', async () => {
    desk = new Desk({ commit: COMMIT })
    await desk.start()
    rmSync(desk.paths.state)
    await vi.waitFor(() => expect(desk.engine.health().problems).toMatchObject([{ code: 'state_replaced' }]), { timeout: 10_000 })
    // what was in it is gone: that is not over with the next answer
    await vi.waitFor(async () => expect((await desk.bash('git commit')).decision).toBe('deny'), { timeout: 10_000 })
    expect(desk.engine.health()).toMatchObject({ state: 'serving', problems: [{ code: 'state_replaced', severity: 'warning' }] })
  })

  test('law 17: past its deadline nothing is decided, and nothing is charged that nobody takes', async () => {
    desk = new Desk({ commit: COMMIT })
    const input = { tool_name: 'Bash', tool_input: { command: 'git commit' }, tool_use_id: 'toolu_a' }
    const event = { session_id: desk.session, transcript_path: desk.records, cwd: desk.project, hook_event_name: 'PreToolUse', ...input }
    const arrived = performance.now() - 601
    const told = await desk.engine.moment({ harness: 'claude-code', event, delivery: null, off: false, arrived })
    expect(told).toMatchObject({ ok: true, answer: { status: 204 }, delivery: null })
    expect([desk.log(), desk.engine.health().counters]).toEqual([[], { moments_late: 1 }])
  })

  test('law 17, T14: a state that another program holds: calls are let through, and health says why', async () => {
    desk = new Desk({ commit: COMMIT })
    await desk.start()
    const other = new DatabaseSync(desk.paths.state)
    other.exec('BEGIN IMMEDIATE')
    expect([(await desk.bash('git commit')).status, (await desk.bash('git commit')).status]).toEqual([204, 204])
    expect(desk.engine.health().problems).toContainEqual(
      expect.objectContaining({ code: 'state_locked', cure: expect.stringContaining('End the other program') }),
    )
    // asked once, then left alone
    expect(desk.engine.health().counters).toMatchObject({ state_locked: 1, moments_without_state: 1 })
    other.exec('ROLLBACK')
    other.close()
  })

  test('S8: what a client missed is kept while another program holds the state, and told after', async () => {
    desk = new Desk()
    await desk.start()
    const event = { session_id: desk.session, transcript_path: desk.records, cwd: desk.project, hook_event_name: 'Stop' }
    const post = (...missed: readonly { cause: 'refused'; times: number }[]) =>
      desk.engine.moment({ harness: 'claude-code', event, delivery: null, off: false, missed, arrived: performance.now() })
    const other = new DatabaseSync(desk.paths.state)
    other.exec('BEGIN IMMEDIATE')
    for (const times of [2, 3]) await post({ cause: 'refused', times })
    expect(desk.engine.health().counters).toMatchObject({ missed_refused: 5, moments_without_state: 1 })
    other.exec('ROLLBACK')
    other.close()
    // it is left alone for a second
    await vi.waitFor(
      async () => {
        await post({ cause: 'refused', times: 1 })
        expect(desk.engine.logbook.totals()?.missed).toHaveLength(1)
      },
      { timeout: 20_000, interval: 100 },
    )
    const { missed_refused: counted } = desk.engine.health().counters
    expect(desk.engine.logbook.totals()?.missed).toEqual([{ harness: 'claude-code', cause: 'refused', count: counted }])
  })

  test("a session file outside the harness's folders is not opened", async () => {
    desk = new Desk({ house: START })
    const elsewhere = join(desk.folder, 'secret.jsonl')
    writeFileSync(elsewhere, 'private\n')
    chmodSync(elsewhere, 0o600)
    const told = await desk.tell('SessionStart', { source: 'resume', transcript_path: elsewhere })
    expect(told.status).toBe(204)
    await desk.engine.drain()
    expect(desk.engine.health()).toMatchObject({ state: 'serving', problems: [{ code: 'records_elsewhere' }] })
  })
})
