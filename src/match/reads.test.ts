import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { READ_CASES } from './reads.cases.fixture.ts'
import { hasLineOf, masksFailure, readsIn } from './reads.ts'
import { HOME, ROOT } from './subject.fixture.ts'

const at = (path: string) => (path.startsWith('~') ? HOME + path.slice(1) : resolve(ROOT, path))
const reads = (command: string) => readsIn(command, ROOT, { home: HOME }).toSorted()

test.each(READ_CASES)('reads of $command', ({ command, reads: expected }) => {
  expect(reads(command)).toEqual(expected.map(at).toSorted())
})

test('the table is as large as it should be', () => {
  expect(new Set(READ_CASES.map(({ command }) => command)).size).toBeGreaterThanOrEqual(100)
})

test('without a home, a path from it is not known', () => {
  expect(readsIn('cat ~/rule.md', ROOT)).toEqual([])
  expect(readsIn('cd && cat rule.md', ROOT)).toEqual([])
  expect(readsIn('cat rule.md', ROOT)).toEqual([`${ROOT}/rule.md`])
})

test('R2: reading one file does not prove another that begins alike', () => {
  const a = hasLineOf('# Rules\n\nUse tabs.\n')
  expect(reads('cat b.md')).not.toContain(at('a.md'))
  expect(reads('cat missing/a.md | head')).not.toContain(at('a.md'))
  expect(a('Use spaces.')).toBe(false)
})

describe('a line of the file stands in the result', () => {
  const rule = '---\ntitle: Commits\n---\n# Commits\n\nUse Conventional Commits.\n  Subject in the imperative.\n\n- no full stop\n'
  const has = hasLineOf(rule)

  test('R3: a partial read counts', () => {
    expect(has('Use Conventional Commits.\n  Subject in the imperative.\n')).toBe(true)
  })
  test.each([
    ['nl -ba', '     6\tUse Conventional Commits.\n     7\t  Subject in the imperative.'],
    ['a read tool', '6\tUse Conventional Commits.'],
    ['an older read tool', '     6→Use Conventional Commits.'],
    ['grep -n', '6:Use Conventional Commits.'],
    ['bat', '   6 │ Use Conventional Commits.'],
    ['head with names', '==> a.md <==\n# Commits'],
    ['windows line ends', 'Use Conventional Commits.\r\n'],
  ])('R4: numbered or framed output counts: %s', (_, output) => expect(has(output)).toBe(true))
  test('R4: a short file counts', () => {
    expect(hasLineOf('ok')('ok\n')).toBe(true)
    expect(hasLineOf('}\n')('}')).toBe(true)
    expect(hasLineOf('1\n')('1')).toBe(true)
  })
  test('R5: what the text says does not matter', () => {
    const text = 'cat: not found\nexit=1\n'
    expect(hasLineOf(text)(text)).toBe(true)
    expect(masksFailure('cat rule.md', text)).toBe(false)
  })
  test('R1: the message of a failed read is no line of the file', () => {
    expect(has('cat: docs/commits.md: No such file or directory')).toBe(false)
    expect(has('')).toBe(false)
    expect(has('---\n\n---')).toBe(false)
  })
  test('a part of a line is not the line', () => expect(has('Use Conventional')).toBe(false))
  test('an empty file has no line in anything', () => {
    expect(hasLineOf('')('')).toBe(false)
    expect(hasLineOf('\n\n')('\n')).toBe(false)
  })
  test('a very long line that the tool cut still counts', () => {
    const line = 'word '.repeat(2_000)
    expect(hasLineOf(line)(`     1\t${line.slice(0, 2_000)}`)).toBe(true)
  })
  test('a line that begins with a number', () => {
    expect(hasLineOf('1. First rule')('1. First rule')).toBe(true)
    expect(hasLineOf('1. First rule')('   7\t1. First rule')).toBe(true)
  })
})

describe('M8: a failure that the command itself prints', () => {
  test.each([
    ['npm test; echo "exit=$?"', 'FAIL\nexit=1', true],
    ['npm test; echo "exit=$?"', 'ok\nexit=0', false],
    ['npm test; echo "exit=$?"', 'exit=1\nok\nexit=0', false],
    ['npm test; echo exit=$?', 'exit=127\n', true],
    ['npm test; echo "exit: ${?}"', 'exit: 2', true],
    ['npm test; echo $?', 'x\n1', true],
    ['npm test; echo $?', 'x\n0\n', false],
    ['npm test 2>&1 | tail -5; echo "EXIT ${PIPESTATUS[0]}"', 'EXIT 1', true],
    ['npm test; rc=$?; echo "rc=$rc"', 'rc=3', true],
    ['npm test; rc=$?; echo "rc=${rc} done"', 'rc=3 done', true],
    ['npm test\necho "--- exit $? ---"', '--- exit 1 ---', true],
    ["npm test; printf 'exit %d\\n' $?", 'exit 1', true],
    ["npm test; printf 'exit %s of %s\\n' $? x", 'exit 0 of x', false],
    ['npm test || echo "failed with $?"', 'failed with 1', true],
    ['npm test || echo "failed with $?"', 'all well', false],
    ['a; echo "a=$?"; b; echo "b=$?"', 'a=1\nb=0', true],
    ['npm test; echo -n "exit=$?"', 'no line end exit=1', true],
    ['bash -c "npm test; echo exit=\\$?"', 'exit=1', true],
    ['cd $X; npm test; echo "$X exit=$?"', '/a exit=1', true],
    ['npm test; echo "exit=\\$?"', 'exit=1', false],
    ["npm test; echo 'exit=$?'", 'exit=1', false],
    ['npm test', 'exit=1', false],
    ['cat notes.md', 'exit=1', false],
    ['grep "echo exit=$?" f', 'exit=1', false],
    ['git commit -m "echo exit=$?"', 'exit=1', false],
  ])('%s printing %j', (command, output, failed) => expect(masksFailure(command, output)).toBe(failed))

  test('it is never evidence of a read', () => expect(reads('cat a.md; echo "exit=$?"')).toEqual([]))
})
