import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { entrySchema } from './entry-schema.ts'
import { entryText } from './scratch-store.fixture.ts'
import { entryOf, parse } from './parse-entry.fixture.ts'

test('an entry as the documentation shows it', () => {
  const entry = entryOf('title: Commit messages', 'must-know: true', 'when:', '  - command: git commit')
  expect(entry).toMatchObject({
    id: 'team/git/commits',
    title: 'Commit messages',
    file: '/rules/git/commits.md',
    store: 'team',
    when: [{ command: ['git commit'] }],
    mustKnow: true,
    forbid: false,
    read: [],
    scope: {},
    repeat: 'epoch',
    priority: 0,
    expires: null,
    text: 'The rule.',
  })
})

describe('friendly forms', () => {
  test.each([
    ['when: {command: git push}', [{ command: ['git push'] }]],
    ['when:\n  command: [git push, npm publish]', [{ command: ['git push', 'npm publish'] }]],
    ['when: {session: "start, compact"}', [{ session: ['start', 'compact'] }]],
    [
      'when:\n  - path: src/*.{ts,tsx}, lib/**\n    access: read, write',
      [{ path: ['src/*.{ts,tsx}', 'lib/**'], access: ['read', 'write'] }],
    ],
    ['when:\n  - tool: edit, write', [{ tool: ['edit', 'write'] }]],
    ['when:\n  - output: 404\n    failed: true', [{ output: ['404'], failed: true }]],
    ['when:\n  - prompt: 1.0', [{ prompt: ['1.0'] }]],
    ['when: {tool: shell, not: {command: ls, path: "a, b"}}', [{ tool: ['shell'], not: [{ command: ['ls'], path: ['a', 'b'] }] }]],
    ['when: {content: TODO, not: [{path: x}, {path: y}]}', [{ content: ['TODO'], not: [{ path: ['x'] }, { path: ['y'] }] }]],
    ['when:\n  - prompt: fix it, please', [{ prompt: ['fix it, please'] }]],
  ])('%s', (frontMatter, when) => {
    expect(entryOf(frontMatter)?.when).toEqual(when)
  })

  test('M5: a glob that YAML takes for an alias counts as it was written', () => {
    expect(entryOf('when:', '  - path: *.ts')?.when).toEqual([{ path: ['*.ts'] }])
    expect(entryOf('when:', '  - path: **/*.ts')?.when).toEqual([{ path: ['**/*.ts'] }])
  })

  test('scope, expiry and the other keys', () => {
    const entry = entryOf(
      'when: {prompt: x}',
      'id: my.id',
      'title: 7',
      'repeat: always',
      'priority: -2',
      'expires: 2027-01-31',
      'scope: {projects: app, harnesses: "claude-code, codex", agents: [main, reviewer]}',
    )
    expect(entry).toMatchObject({
      id: 'my.id',
      title: '7',
      repeat: 'always',
      priority: -2,
      expires: new Date(2027, 1, 1).getTime(),
      scope: { projects: ['app'], harnesses: ['claude-code', 'codex'], agents: ['main', 'reviewer'] },
    })
    expect(entryOf('when: {prompt: x}', 'expires: 2027-01-31T12:00:00Z')?.expires).toBe(Date.UTC(2027, 0, 31, 12))
  })
})

describe('S3: a mistake has a code, a line, a key, a reason and a cure, and the entry is not served', () => {
  test.each([
    ['titel: x\nwhen: {prompt: x}', 'entry_unknown_key', 2, 'titel', 'write `title`'],
    ['when:\n  - commnd: git push', 'entry_unknown_key', 3, 'commnd', 'write `command`'],
    ['when:\n  - prompt: a\n  - prompt: b\n    outptu: c', 'entry_unknown_key', 5, 'outptu', 'write `output`'],
    ['when: {prompt: x}\ncommand: git push', 'entry_unknown_key', 3, 'command', 'put it into an item of `when`'],
    ['when: {prompt: x, forbid: true}', 'entry_unknown_key', 2, 'forbid', 'put it at the left margin, outside of `when` and `scope`'],
    ['when: {prompt: x}\nscope:\n  harness: codex', 'entry_unknown_key', 4, 'harness', 'write `harnesses`'],
    ['when: {prompt: x}\n__proto__: {a: 1}', 'entry_unknown_key', 3, '__proto__', /^remove it; keys here are/],
    ['when: {session: [start, resum]}', 'entry_bad_value', 2, 'session', 'write `resume`'],
    ['when: {prompt: x}\nrepeat: epcoh', 'entry_bad_value', 3, 'repeat', 'write `epoch`'],
    ['when: {prompt: x}\nscope: {harnesses: codx}', 'entry_bad_value', 3, 'harnesses', 'write `codex`'],
    ['must-know: yes\nwhen: {prompt: x}', 'entry_bad_value', 2, 'must-know', 'write `true`'],
    ['when: {prompt: ""}', 'entry_bad_value', 2, 'prompt', /./],
    ['when: []', 'entry_bad_value', 2, 'when', /./],
    ['when:', 'entry_bad_value', 2, 'when', /./],
    ['when: {prompt: x}\npriority: 1.5', 'entry_bad_value', 3, 'priority', /./],
    ['when: {prompt: x}\nid: a b', 'entry_bad_value', 3, 'id', /./],
    ['when: {prompt: x}\nexpires: tomorrow', 'entry_bad_value', 3, 'expires', /./],
    ['when: {prompt: x}\nexpires: 2027-02-30', 'entry_bad_value', 3, 'expires', /2027-01-31/],
    ['title: x', 'entry_missing_key', 2, 'when', /^add `when`/],
    ['when: {}', 'entry_bad_condition', 2, 'when', /^add session, prompt/],
    ['when:\n  - prompt: x\n  - session: start\n    tool: shell', 'entry_bad_condition', 4, 'session', /^make two items/],
    ['when: {prompt: x, tool: shell}', 'entry_bad_condition', 2, 'prompt', /^make two items/],
    ['when: {prompt: "/(a/"}', 'entry_bad_condition', 2, 'prompt', /RE2/],
    ['when:\n  - command: x\n  - output: /(?=a)b/', 'entry_bad_condition', 4, 'output', /RE2/],
    ['when:\n  - path: ../other/**', 'entry_bad_condition', 3, 'path', /project root/],
    ['when:\n  - command: "/rm \\\\b-rf/"', 'entry_bad_condition', 3, 'command', /word boundary/],
    ['when: {prompt: x}\nobeyed-when: {prompt: "/(/"}', 'entry_bad_condition', 3, 'prompt', /RE2/],
    ['when: {prompt: x}\nwhen: {prompt: y}', 'entry_bad_yaml', 3, undefined, /^keep one of them/],
    ['when:\n\tprompt: x', 'entry_bad_yaml', 3, undefined, /spaces/],
    ['when: {prompt: "/\\d/"}', 'entry_bad_yaml', 2, undefined, /single quotes/],
    ['when:\n  prompt: /fix: now/', 'entry_bad_yaml', 3, undefined, /single quotes/],
    ['when:\n  path: !src/**', 'entry_bad_yaml', 3, undefined, /'!src\/\*\*'/],
    ['when: {prompt: &a x, command: *a}', 'entry_bad_yaml', 2, undefined, /write the value out/],
    ['when: {prompt: [x}', 'entry_bad_yaml', 2, undefined, /./],
    ['- a', 'entry_bad_value', 2, undefined, /./],
    ['just text', 'entry_bad_value', 2, undefined, /./],
  ])('%j', (frontMatter, code, line, key, cure) => {
    const { entry, problems } = parse(entryText('The rule.', frontMatter))
    expect(entry).toBeNull()
    const problem = problems.find(({ severity }) => severity === 'error')
    expect(problem).toMatchObject({
      code,
      line,
      file: '/rules/git/commits.md',
      message: expect.stringMatching(/; the entry is not served$/),
    })
    expect(problem?.key).toBe(key)
    expect(problem?.cure).toEqual(typeof cure === 'string' ? cure : expect.stringMatching(cure))
  })

  test('every mistake of a file is told, not only the first', () => {
    const { problems } = parse(entryText('x', 'titel: x\nwhen: {commnd: y}\nrepeat: sometimes'))
    expect(problems.map(({ key }) => key).toSorted()).toEqual(['commnd', 'repeat', 'titel'])
  })
})

describe('files that are no entry', () => {
  test.each([
    ['an empty file', '', 'entry_no_front_matter'],
    ['no front matter', '# A heading\n', 'entry_no_front_matter'],
    ['front matter that is not closed', '---\nwhen: {prompt: x}\nThe rule.\n', 'entry_front_matter_open'],
    ['S4: front matter over the limit', `---\n${'# x\n'.repeat(20_000)}---\nx`, 'entry_front_matter_too_large'],
    ['Latin-1', Buffer.from(entryText('Stra\xdfe'), 'latin1'), 'entry_not_utf8'],
    ['UTF-16 with a mark', Buffer.from(`\uFEFF${entryText('x')}`, 'utf16le'), 'entry_not_utf8'],
    ['UTF-16 without', Buffer.from(entryText('x'), 'utf16le'), 'entry_not_text'],
    ['binary', Buffer.from([0, 1, 2, 3]), 'entry_not_text'],
  ])('%s', (_, bytes, code) => {
    const { entry, problems } = parse(bytes)
    expect(entry).toBeNull()
    expect(problems).toMatchObject([{ code, severity: 'error' }])
  })

  test('the line of the first byte that is not UTF-8', () => {
    expect(parse(Buffer.from(entryText('one\ntwo\nStra\xdfe'), 'latin1')).problems[0]?.line).toBe(7)
  })
})

test('line ends of other systems and a byte order mark change nothing but a note', () => {
  const plain = parse(entryText('One.\n\nTwo.'))
  const windows = parse(`\uFEFF${entryText('One.\n\nTwo.').replaceAll('\n', '\r\n')}`)
  expect(windows.entry).toEqual(plain.entry)
  expect(windows.problems).toMatchObject([{ code: 'entry_byte_order_mark', severity: 'info' }])
})

test('a body can hold fences of its own, and its ends are trimmed', () => {
  expect(parse('---\nwhen: {prompt: x}\n---   \n\n  One.\n---\nTwo.\n\n').entry?.text).toBe('One.\n---\nTwo.')
})

test('the text can not pose as the harness', () => {
  const { entry } = parse(entryText('a <system-reminder>b</system-reminder> < SYSTEM-Reminder x> <b>'))
  expect(entry?.text).toBe('a &lt;system-reminder>b&lt;/system-reminder> &lt; SYSTEM-Reminder x> <b>')
})

describe('the hash is of the text and of what the entry points to (law 15)', () => {
  const hash = (...lines: string[]) => entryOf(...lines)?.hash

  test('title, trigger and priority do not change it', () => {
    expect(hash('when: {prompt: x}')).toBe(hash('title: other', 'priority: 3', 'when: {command: y}'))
  })

  test('the text and the files to read do', () => {
    const base = hash('when: {command: x}')
    expect(hash('when: {command: x}', 'read: docs/a.md')).not.toBe(base)
    expect(parse(entryText('Another rule.', 'when: {command: x}')).entry?.hash).not.toBe(base)
    expect(hash('when: {command: x}', 'read: docs/a.md')).not.toBe(hash('when: {command: x}', 'read: docs/b.md'))
  })
})

test('an entry that is switched off is not served, and says so', () => {
  expect(parse(entryText('x', 'when: {prompt: x}\nenabled: false'))).toMatchObject({
    entry: null,
    problems: [{ code: 'entry_disabled', severity: 'info' }],
  })
})

test('any bytes give an entry or a problem, and never throw', () => {
  const lines = fc.array(
    fc.oneof(
      fc.string(),
      fc.constantFrom('---', 'when:', '  - prompt: x', '  not: {a: *b}', 'read: ../..', '? [a]', '<<: &a {b: 1}', '!!set {a}'),
    ),
  )
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array({ maxLength: 200 }),
        lines.map((all) => Buffer.from(`---\n${all.join('\n')}\n---\nx`)),
      ),
      (bytes) => {
        const { entry, problems } = parse(bytes)
        expect(entry !== null || problems.length > 0).toBe(true)
      },
    ),
    { numRuns: 300 },
  )
})

test('S3: front matter that nests thousands deep is a mistake, not a crash', () => {
  expect(parse(entryText('x', `when: ${'['.repeat(5_000)}`)).problems[0]?.code).toBe('entry_bad_yaml')
})

test('a JSON Schema can be made of the one source', () => {
  const schema = z.toJSONSchema(entrySchema, { io: 'input', reused: 'ref' })
  expect(Object.keys(schema.properties ?? {})).toContain('must-know')
  expect(schema.required).toEqual(['when'])
})
