import { describe, expect, test } from 'vitest'
import { entryHead } from '../../match/entry-read.ts'
import type { ReadsIn } from './records-reads.ts'
import * as s from './session.fixture.ts'

const RULES = '/home/dev/project/RULES.md'
const rules = s.fileOf(RULES, 'rule one')
/** As the matcher does it, for the commands of these tests. */
const readsIn: ReadsIn = (command, cwd) => (/^cat (\S+)$/.exec(command) === null ? [] : [`${cwd}/${command.slice(4)}`])
const answer = s.reply('r9', s.says('done'))
const read = (call: string) => ({ kind: 'read', path: RULES, call })
const facts = (lines: readonly string[], files = [rules]) => s.factsOf(lines, { files }, readsIn)

describe('reads', () => {
  test('the read tool, when its result was answered', () => {
    const lines = [s.reply('r1', s.calls('t1', 'Read', { file_path: RULES })), s.result('t1', '1\tanything')]
    expect(facts(lines)).toEqual([])
    expect(facts([...lines, answer])).toEqual([read('t1')])
  })

  test('a recorded read: in its own wave it frees nothing', () => {
    const wave = s.recorded('parallel-three-one-denied.jsonl')
    const file = s.fileOf('/home/dev/project/src.ts', 'export const')
    expect(facts(wave, [file])).toEqual([])
    expect(facts([...wave, answer], [file])).toEqual([{ kind: 'read', path: file.path, call: 'toolu_0003' }])
  })

  test('a shell reader, when a line of the file stands in its result', () => {
    const lines = [s.reply('r1', s.bash('t1', 'cat RULES.md')), s.result('t1', 'rule one\nrule two')]
    expect(facts([...lines, answer])).toEqual([read('t1')])
    const other = [s.reply('r1', s.bash('t1', 'cat RULES.md')), s.result('t1', 'something else')]
    expect(facts([...other, answer])).toEqual([])
    expect(facts([s.reply('r1', s.bash('t1', 'wc RULES.md')), s.result('t1', 'rule one'), answer])).toEqual([])
  })

  test('a gate that is armed only later: the read counts all the same', () => {
    const scan = s.scan(readsIn)
    const lines = [s.reply('r1', s.bash('t1', 'cat RULES.md')), s.result('t1', 'rule one'), answer]
    for (const line of lines) scan.take(line, s.watchOf({}))
    expect(scan.facts(s.watchOf({ files: [rules] }))).toEqual([read('t1')])
  })

  test('R10: a whole write of the file counts, an edit does not', () => {
    const created = s.recorded('tool-ok.Write.jsonl')
    const file = s.fileOf('/home/dev/project/new.ts', 'export')
    expect(facts([...created, answer], [file])).toEqual([{ kind: 'read', path: file.path, call: 'toolu_0008' }])
    const edited = s.recorded('tool-ok.Edit+pre-context.jsonl')
    expect(facts([...edited, answer], [s.fileOf('/home/dev/project/src.ts', 'export')])).toEqual([])
  })

  test('R10: our own tool for agents, when a line of the file stands in its result', () => {
    const given = `${entryHead('rules/rules', 'Rules', RULES)}\n\nrule one`
    const lines = (text: string, tool = 'mcp__contextmd__read_entry') => [
      s.reply('r1', s.calls('t1', tool, { id: 'rules/rules' })),
      s.result('t1', text),
    ]
    expect(facts(lines(given))).toEqual([])
    expect(facts([...lines(given), answer])).toEqual([read('t1')])
    expect(facts([...lines(given.replace('rule one', 'else')), answer])).toEqual([])
    expect(facts([...lines('rule one'), answer])).toEqual([])
    expect(facts([...lines(given, 'mcp__contextmd__search_entries'), answer])).toEqual([])
  })

  test('R1: a read that failed does not count', () => {
    const missing = s.recorded('tool-failed.Read.jsonl')
    expect(facts([...missing, answer], [s.fileOf('/home/dev/project/missing.ts', 'x')])).toEqual([])
    const lines = [s.reply('r1', s.bash('t1', 'cat RULES.md')), s.failed('t1', 'Exit code 1\nrule one')]
    expect(facts([...lines, answer])).toEqual([])
    const stopped = [s.reply('r1', s.bash('t1', 'cat RULES.md')), s.result('t1', 'rule one', { toolUseResult: { interrupted: true } })]
    expect(facts([...stopped, answer])).toEqual([])
    expect(facts([s.reply('r1', s.bash('t1', 'cat RULES.md')), s.denied('t1', 'rule one'), answer])).toEqual([])
  })

  test('R2, R4: a copy elsewhere is another file, whatever stands in it', () => {
    const lines = [s.reply('r1', s.bash('t1', 'cat copy/RULES.md')), s.result('t1', 'rule one'), answer]
    expect(facts(lines)).toEqual([])
    expect(facts([s.reply('r1', s.calls('t1', 'Read', { file_path: '/tmp/RULES.md' })), s.result('t1', 'rule one'), answer])).toEqual([])
  })

  test('R6: a call whose id ends alike is another call', () => {
    const lines = [s.reply('r1', s.calls('prior-t1', 'Read', { file_path: RULES })), s.result('t1', 'x'), answer]
    expect(facts(lines)).toEqual([])
    expect(facts([s.reply('r1', s.calls('t_', 'Read', { file_path: RULES })), s.result('t1', 'x'), answer])).toEqual([])
  })

  test('R7: a result without an id proves nothing', () => {
    expect(facts([s.reply('r1', s.calls('', 'Read', { file_path: RULES })), s.result(null, 'rule one'), answer])).toEqual([])
  })

  test('a read from before a compaction is over', () => {
    const lines = [s.reply('r1', s.calls('t1', 'Read', { file_path: RULES })), s.result('t1', 'x'), answer]
    expect(facts([...lines, s.boundary('c')])).toEqual([{ kind: 'compacted', mark: 'c' }])
  })

  test('a read from before the file was changed is of another text', () => {
    const at = Date.parse('2026-01-05T09:00:00.000Z')
    const lines = [s.reply('r1', s.calls('t1', 'Read', { file_path: RULES })), s.result('t1', 'x'), answer]
    expect(facts(lines, [{ ...rules, changedAt: at + 1 }])).toEqual([])
    expect(facts(lines, [{ ...rules, changedAt: at }])).toEqual([read('t1')])
  })

  test('a path that is named from the call`s folder', () => {
    const lines = [s.reply('r1', s.calls('t1', 'Read', { file_path: 'RULES.md' })), s.result('t1', 'x'), answer]
    expect(facts(lines)).toEqual([read('t1')])
  })
})
