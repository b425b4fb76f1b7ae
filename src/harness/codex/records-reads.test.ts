import { describe, expect, test } from 'vitest'
import { entryHead } from '../../match/entry-read.ts'
import { readsIn as parsedReads } from '../../match/reads.ts'
import * as r from './rollout.fixture.ts'

const readsIn = (command: string, cwd: string) => parsedReads(command, cwd, { home: '/home/dev' })
const GUIDE = '/home/dev/project/guide.md'
const LINE = 'Ask the owner first.'
const file = r.fileOf(GUIDE, LINE)
const read = (call: string) => ({ kind: 'read', path: GUIDE, call })
const facts = (lines: readonly string[], files = [file]) => r.factsOf(lines, { files }, readsIn)

/** A shell call from its making to the model's answer to its result. */
const shell = (command: string, exitCode: number | null, text: string, answeredTo = 8) => [
  r.shell(6, 5, 'c1', command),
  r.ranShell('c1', command, exitCode),
  r.output(8, 5, 'c1', `Chunk ID: 1\nProcess exited with code ${exitCode}\nOutput:\n${text}`),
  r.says(9, answeredTo),
]

describe('reads in the shell', () => {
  test('one that went well, and was answered', () => {
    expect(facts(shell('cat guide.md', 0, LINE))).toEqual([read('c1')])
    expect(facts(shell('cat guide.md', 0, LINE, 7))).toEqual([])
  })

  test('R1, R8: a failed one, and one whose exit code is not known', () => {
    expect(facts(shell('cat guide.md', 1, LINE))).toEqual([])
    expect(facts(shell('cat guide.md', null, LINE))).toEqual([])
  })

  test('R4, R9: numbered output, and a reader by its path; R2: a line of the file must stand there', () => {
    expect(facts(shell('nl -ba guide.md', 0, `     1\t${LINE}`))).toEqual([read('c1')])
    expect(facts(shell('/bin/cat guide.md', 0, LINE))).toEqual([read('c1')])
    expect(facts(shell('cat guide.md', 0, 'something else'))).toEqual([])
    expect(facts(shell('ls guide.md', 0, LINE))).toEqual([])
  })

  test('G3: what the call itself says is no output', () => {
    expect(facts(shell(`cat guide.md > /dev/null; echo "${LINE}"`, 0, LINE))).toEqual([])
  })

  test('R6: another call`s output does not prove it', () => {
    const [made = '', ran = ''] = shell('cat guide.md', 0, LINE)
    expect(facts([made, ran, r.output(8, 5, 'xc1', LINE), r.says(9, 8)])).toEqual([])
  })

  test('law 15: what was read before the file was changed is not this text', () => {
    const lines = shell('cat guide.md', 0, LINE)
    const at = Date.parse('2026-01-05T09:00:00.000Z')
    expect(facts(lines, [r.fileOf(GUIDE, LINE, { changedAt: at + 1 })])).toEqual([])
    expect(facts(lines, [r.fileOf(GUIDE, LINE, { changedAt: at })])).toEqual([read('c1')])
  })

  test('the recorded read', () => {
    const lines = [...r.recorded('02-shell-ok'), r.says(6, 5)]
    const watched = r.fileOf('/home/dev/project/a.txt', 'hello')
    expect(r.factsOf(lines, { files: [watched] }, readsIn)).toEqual([{ kind: 'read', path: watched.path, call: 'c_ok' }])
  })

  test('after a compaction it is not in the conversation any more', () => {
    expect(facts([...shell('cat guide.md', 0, LINE), r.compacted('w1')]).filter(({ kind }) => kind === 'read')).toEqual([])
  })
})

describe('reads in a script of the code mode', () => {
  const script = (...texts: readonly string[]) => [
    r.script(6, 5, 'k1', 'const r = await tools.exec_command({cmd: "cat guide.md"})'),
    r.ranShell('exec-1', 'cat guide.md', 0),
    r.printed(8, 5, 'k1', 'Script completed\n', ...texts),
    r.says(9, 8),
  ]

  test('the script printed a line of the file', () => {
    expect(facts(script(LINE))).toEqual([read('exec-1')])
  })

  test('G15: the script kept it to itself: the model has read nothing', () => {
    expect(facts(script('done'))).toEqual([])
  })

  test('printed by a later output of the script that goes on', () => {
    const lines = [...script('still running'), r.script(10, 9, 'k2', 'wait'), r.printed(11, 9, 'k2', LINE), r.says(12, 11)]
    expect(facts(lines)).toEqual([read('exec-1')])
  })

  test('the recorded script', () => {
    const watched = r.fileOf('/home/dev/project/a.txt', 'hello')
    const lines = r.recorded('16-code-mode-ok-and-failed')
    expect(r.factsOf(lines, { files: [watched] }, readsIn)).toMatchObject([{ kind: 'read', path: watched.path }])
  })
})

describe('whole writes', () => {
  const added = (change: object, status?: string) => [
    r.patched('c1', { [GUIDE]: change }, status),
    r.output(8, 5, 'c1', 'Exit code: 0'),
    r.says(9, 8),
  ]

  test('R10: a patch that adds the file', () => {
    expect(facts(added({ type: 'add', content: LINE }))).toEqual([read('c1')])
  })

  test('a patch that changes a part of it, one that failed, and one of another file', () => {
    expect(facts(added({ type: 'update', unified_diff: '' }))).toEqual([])
    expect(facts(added({ type: 'add', content: LINE }, 'failed'))).toEqual([])
    const other = [r.patched('c1', { '/home/dev/project/b.md': { type: 'add' } }), r.output(8, 5, 'c1', 'x'), r.says(9, 8)]
    expect(facts(other)).toEqual([])
  })

  test('the recorded patch', () => {
    const watched = r.fileOf('/home/dev/project/sub/new.txt', 'new line')
    expect(r.factsOf([...r.recorded('04-apply-patch'), r.says(10, 9)], { files: [watched] }, readsIn)).toMatchObject([{ call: 'c_patch' }])
  })
})

describe('R10: reads by our own tool', () => {
  const given = `${entryHead('rules/guide', 'Guide', GUIDE)}\n\n${LINE}`
  const read = (ran: string, told = given) => [
    r.shell(6, 5, 'c1', 'x'),
    ran,
    r.output(8, 5, 'c1', `Wall time: 0 seconds\nOutput:\n${told}`),
    r.says(9, 8),
  ]

  test('one that came back and was answered', () => {
    expect(facts(read(r.ranTool('c1', 'read_entry', given)))).toEqual([{ kind: 'read', path: GUIDE, call: 'c1' }])
    expect(facts(read(r.ranTool('c1', 'read_entry', given)).slice(0, 3))).toEqual([])
  })

  test('a failed one, another tool, another file, or one of which no line came back is none', () => {
    expect(facts(read(r.ranTool('c1', 'read_entry', given, { status: 'failed' })))).toEqual([])
    expect(
      facts(read(r.ranTool('c1', 'read_entry', given, { result: { content: [{ type: 'text', text: given }], isError: true } }))),
    ).toEqual([])
    expect(facts(read(r.ranTool('c1', 'search_entries', given)))).toEqual([])
    expect(facts(read(r.ranTool('c1', 'read_entry', given.replace(GUIDE, '/home/dev/other.md'))))).toEqual([])
    expect(facts(read(r.ranTool('c1', 'read_entry', given), 'nothing of it'))).toEqual([])
    expect(facts(read(r.ranTool('c1', 'read_entry', 'There is no such rule.')))).toEqual([])
  })

  test('in code mode it counts once the script has printed it', () => {
    const code = r.script(6, 5, 'c1', 'await tools.mcp__contextmd__read_entry({})')
    const ran = r.ranTool('exec-1', 'read_entry', given)
    expect(facts([code, ran, r.printed(8, 5, 'c1', 'done'), r.says(9, 8)])).toEqual([])
    expect(facts([code, ran, r.printed(8, 5, 'c1', given), r.says(9, 8)])).toEqual([{ kind: 'read', path: GUIDE, call: 'exec-1' }])
  })
})
