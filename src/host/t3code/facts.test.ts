import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { contextIdOf, id, type CallId, type ClaimId, type HarnessName, type SessionId, type TextHash } from '../../core/id.ts'
import type { WatchedClaim, WatchedFile } from '../../core/watch.ts'
import type { Host, HostTold } from '../../host.ts'
import { hasLineOf } from '../../match/reads.ts'
import { DatabaseFile } from './database-file.ts'
import { t3codeHost } from './t3code.ts'
import { momentOf, World, type ItemWish } from './world.fixture.ts'

const TEXT = 'Use Conventional Commits.\nSubject in the imperative.'
const OTHER = 'Use Conventional Commits.\nSubject in the past tense.'
const marked = (claim: string, text: string) => `[ContextMD ${claim} Rule]\n${text}\n[/ContextMD ${claim}]`
const DENIED = `A rule stops this call.\n${marked('k1.1', TEXT)}`
const hashOf = (text: string) => id<TextHash>(createHash('sha256').update(text).digest('hex'))

function claimAt(call: string | null, over: Partial<WatchedClaim> = {}): WatchedClaim {
  const place = { moment: 'before-tool', event: 'PreToolUse', call: call === null ? null : id<CallId>(call), way: 'reason' } as const
  return { id: id<ClaimId>('k1.1'), textHash: hashOf(TEXT), form: 'text', role: 'hold', place, ...over }
}

/** A joined session with these items in its thread. */
function begin(harness: HarnessName = 'claude-code', ...items: (Omit<ItemWish, 'thread'> & { thread?: string })[]) {
  const world = new World('release')
  world.attempt({ id: 'a', session: 'S', harness })
  for (const item of items) world.item({ thread: 'T-S', harness, ...item })
  const host = t3codeHost({ rows: new DatabaseFile(world.file), inside: false, now: () => 0 })
  host.join(momentOf('S', { harness }), null)
  return { world, look: (claims: readonly WatchedClaim[], files: readonly WatchedFile[] = []) => looked(host, harness, claims, files) }
}

function looked(host: Host, harness: HarnessName, claims: readonly WatchedClaim[], files: readonly WatchedFile[]): HostTold {
  const session = id<SessionId>('S')
  const look = host.look?.({
    context: contextIdOf(harness, session, null),
    session,
    harness,
    folder: '/home/dev/project',
    watch: { claims, files, wantsHeld: false },
  })
  return look ?? { facts: [], known: [] }
}

const LATER = { ordinal: 50, type: 'assistant_message', status: 'completed' }
const found = (told: HostTold) => told.facts.map((fact) => (fact.kind === 'claim' ? fact.found : fact.kind))

describe('the result of a denied call, by the type of its item', () => {
  test.each<[string, Partial<ItemWish>]>([
    ['command_execution', { fields: { output: DENIED } }],
    ['command_execution with Error: in front', { fields: { output: `Error: ${DENIED}` } }],
    ['command_execution with blocks as JSON text', { fields: { output: JSON.stringify([{ type: 'text', text: DENIED }]) } }],
    ['command_execution with a JSON text in a JSON text', { fields: { output: JSON.stringify({ stderr: JSON.stringify(DENIED) }) } }],
    ['file_change', { type: 'file_change', fields: { diffStr: `Error: ${DENIED}`, fileName: '/home/dev/project/a.ts' } }],
    ['dynamic_tool with a text', { type: 'dynamic_tool', fields: { output: DENIED } }],
    ['dynamic_tool with blocks', { type: 'dynamic_tool', fields: { output: [{ type: 'text', text: `Error: ${DENIED}` }] } }],
    ['file_search', { type: 'file_search', fields: { results: [{ preview: DENIED }] } }],
  ])('%s: whole', (_, item) => {
    const { look } = begin('claude-code', { ordinal: 2, call: 'toolu_1', ...item }, LATER)
    expect(look([claimAt('toolu_1')]).facts).toEqual([{ kind: 'claim', claim: 'k1.1', found: 'whole', answered: true }])
  })

  test.each<[string, string, Partial<ItemWish>]>([
    [
      'G3: the rule stands only in the call',
      'replaced',
      { fields: { input: `echo '${DENIED}'`, title: DENIED, output: 'Error: blocked by another hook' } },
    ],
    [
      'G3: an edit of the rule, stopped by another hook',
      'replaced',
      { type: 'file_change', fields: { newStr: DENIED, oldStr: DENIED, fileName: DENIED, diffStr: 'Error: no' } },
    ],
    [
      'G3: a search for the rule',
      'replaced',
      { type: 'file_search', fields: { pattern: DENIED, results: [{ fileName: DENIED, preview: 'x' }] } },
    ],
    ['G4: another text that begins alike', 'cut', { fields: { output: marked('k1.1', OTHER) } }],
    ['G4: a prefix of the text', 'cut', { fields: { output: `[ContextMD k1.1 Rule]\n${TEXT.slice(0, 20)}` } }],
    ['G4: the mark alone, cut off', 'cut', { fields: { output: '[ContextMD k1.1 Ru' } }],
    ['G4: the mark of a claim whose id begins alike', 'replaced', { fields: { output: marked('k1.11', TEXT) } }],
    ["G4: another claim's mark around the same text", 'replaced', { fields: { output: marked('k2.1', TEXT) } }],
  ])('%s: %s', (_, expected, item) => {
    const { look } = begin('claude-code', { ordinal: 2, call: 'toolu_1', ...item }, LATER)
    expect(found(look([claimAt('toolu_1')]))).toEqual([expected])
  })

  test('G5: an edit keeps its result in the diff, and is judged by it', () => {
    const { look } = begin(
      'claude-code',
      { ordinal: 2, call: 'toolu_1', type: 'file_change', fields: { output: 'no', diffStr: DENIED } },
      LATER,
    )
    expect(found(look([claimAt('toolu_1')]))).toEqual(['whole'])
  })

  test.each(['running', 'pending', 'waiting', 'idle'])(
    'G6: an item that is %s is no verdict, with a result or without; then it is',
    (status) => {
      const { world, look } = begin('claude-code', { ordinal: 2, call: 'toolu_1', status, fields: { output: '' } }, LATER)
      expect(look([claimAt('toolu_1')])).toEqual({ facts: [], known: ['k1.1'] })
      world.item({ thread: 'T-S', ordinal: 2, call: 'toolu_1', status, fields: { output: 'half' } })
      expect(look([claimAt('toolu_1')]).facts).toEqual([])
      world.item({ thread: 'T-S', ordinal: 2, call: 'toolu_1', status: 'failed', fields: { output: DENIED } })
      expect(found(look([claimAt('toolu_1')]))).toEqual(['whole'])
    },
  )

  test.each<[string, Partial<ItemWish>]>([
    ['a web search keeps no text of a denied call', { type: 'web_search', fields: { patterns: [DENIED], results: [] } }],
    ['a result that is empty', { fields: { output: '' } }],
    ['no result at all', { fields: {} }],
    ['an item of another type', { type: 'approval_request', fields: { prompt: DENIED } }],
  ])('absence is no verdict: %s', (_, item) => {
    const { look } = begin('claude-code', { ordinal: 2, call: 'toolu_1', ...item }, LATER)
    expect(look([claimAt('toolu_1')])).toEqual({ facts: [], known: ['k1.1'] })
  })
})

describe('which item', () => {
  const ITEM = { ordinal: 2, call: 'exec-1', fields: { output: DENIED } }

  test.each(['prior-exec-1', 'exec-', 'exec-1 ', 'exec_1', '%', 'EXEC-1', ''])('R6: the item of exec-1 is not that of %j', (call) => {
    const { look } = begin('claude-code', ITEM, LATER)
    expect(look([claimAt(call)])).toEqual({ facts: [], known: [] })
  })

  test('R6: an id with wildcards is that very id', () => {
    const { look } = begin(
      'claude-code',
      { ...ITEM, call: 'exec%_1' },
      { ...ITEM, ordinal: 3, call: 'execXX1', fields: { output: 'x' } },
      LATER,
    )
    expect(found(look([claimAt('exec%_1')]))).toEqual(['whole'])
  })

  test('R7: a call without an id, and an item without one, prove nothing', () => {
    const { look } = begin('claude-code', { ordinal: 2, fields: { output: DENIED } }, LATER)
    expect(look([claimAt(null)])).toEqual({ facts: [], known: [] })
  })

  test('an item of another harness with the same id is not looked at', () => {
    const { look } = begin('claude-code', { ...ITEM, harness: 'codex' }, LATER)
    expect(look([claimAt('exec-1')]).facts).toEqual([])
  })

  test('two items of one id: which one it is can not be told', () => {
    const { look } = begin('claude-code', ITEM, { ...ITEM, ordinal: 3, fields: { output: 'other' } }, LATER)
    expect(look([claimAt('exec-1')]).facts).toEqual([])
  })

  test('an item of another thread is not looked at, one of a subagent of the thread is', () => {
    const { world, look } = begin('claude-code', { ...ITEM, thread: 'T-X' }, { ...LATER, thread: 'T-X' })
    expect(look([claimAt('exec-1')]).facts).toEqual([])
    world.subagent({ id: 'sub', thread: 'T-S', run: 'R-S', providerThread: null, child: 'T-X' })
    expect(found(look([claimAt('exec-1')]))).toEqual(['whole'])
  })

  test("OpenCode's ids do not match, by design: nothing is told", () => {
    const { look } = begin('opencode', { ...ITEM, call: 'prt_1' }, LATER)
    expect(look([claimAt('prt_1')])).toEqual({ facts: [], known: [] })
  })

  test('text that stands beside a call is in no item', () => {
    const { look } = begin('claude-code', ITEM, LATER)
    const place = { ...claimAt('exec-1').place, way: 'context' as const }
    expect(look([claimAt('exec-1', { place })])).toEqual({ facts: [], known: [] })
    expect(look([claimAt('exec-1', { form: 'stub' })])).toEqual({ facts: [], known: [] })
  })
})

describe('G19: what shows that the model went on', () => {
  const ITEM = { ordinal: 2, second: 10, call: 'toolu_1', fields: { output: DENIED } }
  const answered = (...items: Partial<ItemWish>[]) => {
    const { look } = begin('claude-code', ITEM, ...items.map((item, at) => ({ ordinal: 3 + at, ...item })))
    return look([claimAt('toolu_1')]).facts.map((fact) => fact.kind === 'claim' && fact.answered)
  }

  test('nothing behind it: not yet', () => expect(answered()).toEqual([false]))
  test('a text that began after it was done', () => expect(answered({ type: 'assistant_message', second: 11 })).toEqual([true]))
  test('a call that began after it was done', () => expect(answered({ type: 'dynamic_tool', second: 11 })).toEqual([true]))
  test('a call of the same reply, begun before', () => expect(answered({ type: 'dynamic_tool', second: 9 })).toEqual([false]))
  test('one begun in the same millisecond', () => expect(answered({ type: 'dynamic_tool', second: 10 })).toEqual([false]))
  test("a person's message, a notice, a checkpoint", () =>
    expect(answered({ type: 'user_message', second: 11 }, { type: 'checkpoint', second: 12 })).toEqual([false]))
  test('a text of another conversation of the thread', () =>
    expect(answered({ type: 'assistant_message', second: 11, providerThread: 'PT-other' })).toEqual([false]))
})

describe('reads', () => {
  const RULE = '/home/dev/project/RULE.md'
  const file = (over: Partial<WatchedFile> = {}): WatchedFile => ({
    path: RULE,
    isSame: (path) => path === RULE,
    hasLineIn: hasLineOf('# Rules\nRun the tests first.\n'),
    ...over,
  })
  const TEXT_AFTER = { ordinal: 60, second: 59, type: 'assistant_message', status: 'completed' }
  const BASH = { ordinal: 2, call: 'c1', status: 'completed' }
  const CAT = { input: 'cat RULE.md', output: '# Rules\nRun the tests first.\n' }
  const reads = (harness: HarnessName, item: Partial<ItemWish>, of = file()) =>
    begin(harness, { ...BASH, ...item }, TEXT_AFTER).look([], [of]).facts

  test('a shell reader in Codex with the exit code 0', () => {
    expect(reads('codex', { fields: { ...CAT, exitCode: 0 } })).toEqual([{ kind: 'read', path: RULE, call: 'c1' }])
  })

  test.each([undefined, null, -1, 1, '0', true])('R8: the exit code %j is not 0', (exitCode) => {
    expect(reads('codex', { fields: { ...CAT, ...(exitCode === undefined ? {} : { exitCode }) } })).toEqual([])
    expect(reads('grok', { fields: { ...CAT, ...(exitCode === undefined ? {} : { exitCode }) } })).toEqual([])
  })

  test('Claude Code tells no exit code: finished well, and not broken off', () => {
    const structured = (interrupted: boolean) => JSON.stringify({ stdout: CAT.output, stderr: '', interrupted })
    expect(reads('claude-code', { fields: { ...CAT, output: structured(false) } })).toHaveLength(1)
    expect(reads('claude-code', { fields: { ...CAT, output: structured(true) } })).toEqual([])
    expect(reads('claude-code', { status: 'failed', fields: CAT })).toEqual([])
  })

  test("the harness's read tool, with a result that holds a line of the file", () => {
    const item = {
      type: 'dynamic_tool',
      fields: { toolName: 'Read', input: { file_path: RULE }, output: { file: { content: CAT.output } } },
    }
    expect(reads('claude-code', item)).toEqual([{ kind: 'read', path: RULE, call: 'c1' }])
    expect(reads('claude-code', { ...item, fields: { ...item.fields, output: 'File unchanged' } })).toEqual([])
    expect(reads('claude-code', { ...item, fields: { ...item.fields, toolName: 'Grep' } })).toEqual([])
    expect(reads('claude-code', { ...item, fields: { ...item.fields, input: { file_path: 'RULE.md' } } })).toHaveLength(1)
  })

  test('a result without a line of the file, and a command that reads another file, prove nothing', () => {
    expect(reads('codex', { fields: { ...CAT, output: 'cat: RULE.md: Permission denied', exitCode: 0 } })).toEqual([])
    expect(reads('codex', { fields: { ...CAT, input: 'cat COPY.md', exitCode: 0 } })).toEqual([])
    expect(reads('codex', { fields: { ...CAT, input: 'cat RULE.md; true', exitCode: 0 } })).toEqual([])
  })

  test('law 15: what was read before the file was changed is not its text', () => {
    const changedAt = Date.parse('2026-10-12T10:00:30.000Z')
    expect(reads('codex', { second: 20, fields: { ...CAT, exitCode: 0 } }, file({ changedAt }))).toEqual([])
    expect(reads('codex', { second: 31, fields: { ...CAT, exitCode: 0 } }, file({ changedAt }))).toHaveLength(1)
  })

  test('G19: a read with only calls behind it is not proven', () => {
    const { look } = begin(
      'codex',
      { ...BASH, fields: { ...CAT, exitCode: 0 } },
      { ordinal: 60, second: 59, call: 'c2', status: 'running' },
    )
    expect(look([], [file()]).facts).toEqual([])
  })
})

test('G7: asked twice at once, the host says the same', () => {
  const { look } = begin('claude-code', { ordinal: 2, call: 'toolu_1', fields: { output: DENIED } }, LATER)
  expect(look([claimAt('toolu_1')])).toEqual(look([claimAt('toolu_1')]))
})
