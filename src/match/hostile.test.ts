import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { analyse, NOT_PARSED, TOO_DEEP, TOO_MANY } from './command/parse.ts'
import { parsePattern } from './command/pattern.ts'
import { compile } from './compile.ts'
import { pathsIn } from './paths-in.ts'
import { hasLineOf, masksFailure, readsIn } from './reads.ts'
import { afterTool, beforeTool, entry, prompt } from './subject.fixture.ts'

const push = compile([entry({ when: [{ command: ['git push'] }] })])
const seen = (command: string) => push.match(beforeTool({ command }))

describe('M4: what is too much is said, never passed over in silence', () => {
  test.each([
    ['1 MB of commands', 'git add file && '.repeat(65_536) + 'git push', 'the command is too long'],
    ['1 MB of words', 'a '.repeat(524_288), 'the command is too long'],
    ['5,000 nested substitutions', `echo ${'$('.repeat(5_000)}git push${')'.repeat(5_000)}`, TOO_DEEP],
    ['5,000 that are never closed', '$('.repeat(5_000), TOO_DEEP],
    ['5,000 quoted ones', `echo ${'"$('.repeat(5_000)}x${')"'.repeat(5_000)}`, TOO_DEEP],
    ['100 nested substitutions', `echo ${'$('.repeat(100)}git push${')'.repeat(100)}`, TOO_DEEP],
    ['heredocs without end', '<<a '.repeat(1_000), TOO_DEEP],
    ['thousands of commands', 'a;'.repeat(5_000), TOO_MANY],
    ['wrappers without end', `${'sudo '.repeat(50)}git push`, TOO_DEEP],
    ['scripts in scripts', `${'eval '.repeat(50)}git push`, TOO_DEEP],
    ['an open quote', "echo 'x", NOT_PARSED],
    ['an open group', '(git status', NOT_PARSED],
  ])('%s', (_, command, why) => expect(seen(command).notAnalysed).toContain(why))

  test('a part that was parsed is matched all the same', () => {
    expect(seen("git push; echo 'x")).toMatchObject({ candidates: [{ item: 0 }], notAnalysed: NOT_PARSED })
  })
  test('a whole file in a quoted heredoc is no long command', () => {
    const file = 'a line of a large file $(x) `y` << z\n'.repeat(20_000)
    expect(seen(`cat > big.md <<'EOF'\n${file}EOF\ngit push`)).toMatchObject({ candidates: [{ item: 0 }], notAnalysed: null })
  })
  test('it is said only where some entry looks at commands', () => {
    const other = compile([entry({ when: [{ tool: ['shell'] }] })])
    expect(other.match(beforeTool({ command: '$('.repeat(5_000) })).notAnalysed).toBeNull()
  })
  test('more paths than can be looked at on the disk', () => {
    const looked: string[] = []
    const real = (path: string) => (looked.push(path), path)
    const matcher = compile([entry({ when: [{ path: ['src/**'] }] })])
    const found = matcher.match(beforeTool({ command: `rm ${Array.from({ length: 1_000 }, (_, n) => `src/${n}`).join(' ')}` }, { real }))
    expect(found).toMatchObject({ candidates: [{ item: 0 }], notAnalysed: 'the symlinks of so many paths were not resolved' })
    expect(looked.length).toBeLessThan(250)
  })
  test('a pattern that other engines choke on', () => {
    const matcher = compile([entry({ when: [{ output: ['/(a+)+$/'] }] })])
    expect(matcher.match(afterTool({ command: 'x' }, { output: `${'a'.repeat(100_000)}b` })).candidates).toHaveLength(0)
    expect(matcher.match(afterTool({ command: 'x' }, { output: 'a'.repeat(100_000) })).candidates).toHaveLength(1)
  })
  test('T5: more patterns than the time allows', () => {
    const many = compile(Array.from({ length: 200 }, () => entry({ when: [{ output: ['/[0-9]+[a-f]/'] }] })))
    const found = many.match(afterTool({ command: 'x' }, { output: 'z '.repeat(50_000) }))
    expect(found).toEqual({ candidates: [], notAnalysed: 'too many patterns for so long a text' })
  })
  test('a 10 MB output', () => {
    const matcher = compile([entry({ when: [{ output: ['/needle \\d/', 'nail'] }] })])
    const found = matcher.match(afterTool({ command: 'x' }, { output: `${'hay '.repeat(2_500_000)}needle 1` }))
    expect(found).toMatchObject({ candidates: [{ item: 0 }], notAnalysed: 'the middle of a long text was not looked at' })
  })
})

const shellText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '$(',
        ')',
        '`',
        '"',
        "'",
        '{',
        '}',
        '((',
        '))',
        '[[',
        ']]',
        '<<EOF',
        '\n',
        ';',
        '&&',
        '||',
        '|',
        '&',
        '!',
        '<(',
        '>',
        '#',
        '\\',
        '${',
        '$x',
        '$?',
      ),
      fc.constantFrom(
        'git',
        'push',
        'sh',
        '-c',
        'cat',
        'if',
        'then',
        'fi',
        'for',
        'do',
        'done',
        'case',
        'esac',
        'in',
        'env',
        'find',
        '-exec',
        'eval',
        'xargs',
        'cd',
        'echo',
        'f()',
      ),
      fc.string({ maxLength: 3 }),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(' '))

test('nothing throws, whatever the command', () => {
  fc.assert(
    fc.property(shellText, fc.string(), (command, output) => {
      analyse(command)
      parsePattern(command)
      readsIn(command, '/home/dev')
      pathsIn(command, '/home/dev', { home: '/home/dev' })
      masksFailure(command, output)
      hasLineOf(command)(output)
      seen(command)
    }),
    { numRuns: 600 },
  )
})

test('no entry throws, whatever its patterns', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (pattern, text) => {
      const all = [
        entry({ when: [{ prompt: [pattern, `/${pattern}/i`] }] }),
        entry({ when: [{ command: [pattern, `/${pattern}/`] }, { path: [pattern] }, { tool: [pattern] }, { content: [pattern] }] }),
      ]
      const matcher = compile(all)
      matcher.match(prompt(text))
      matcher.match(beforeTool({ command: text, content: text, paths: [{ path: `/${text}`, real: `/${text}`, access: 'write' }] }))
    }),
    { numRuns: 300 },
  )
})
