import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseEntry } from './parse-entry.ts'
import { entryText } from './scratch-store.fixture.ts'
import { parse } from './parse-entry.fixture.ts'

describe('gates', () => {
  test.each(['must-know', 'forbid'])('%s without a trigger before a call is warned of', (key) => {
    const { entry, problems } = parse(entryText('x', `${key}: true\nwhen:\n  - prompt: deploy\n  - command: make\n    failed: true`))
    expect(entry).not.toBeNull()
    expect(problems).toMatchObject([{ code: 'entry_never_holds', severity: 'warning', key, line: 2 }])
  })

  test('forbid with read: the text goes out, and the author is told', () => {
    const { entry, problems } = parse(entryText('No.', 'forbid: true\nread: /etc/hostname\nwhen: {command: rm}'))
    expect(entry).toMatchObject({ read: [], text: 'No.' })
    expect(problems).toMatchObject([{ code: 'entry_forbid_with_read', severity: 'warning' }])
    expect(parse(entryText('', 'forbid: true\nread: /etc/hostname\nwhen: {command: rm}')).entry).toBeNull()
  })

  test.each([
    ['when: {command: x}', true],
    ['when: {path: "**", access: write}', true],
    ['when: {path: "**"}', false],
    ['when: {path: "**", access: read}', false],
    ['when: {command: x, failed: true}', false],
    ['when: {prompt: x}', false],
    ['when: {command: x}\nmust-know: true', false],
    ['when: {command: x}\nforbid: true', false],
  ])('%s: the note that plain text arrives late: %s', (frontMatter, isNoted) => {
    const { problems } = parse(entryText('x', frontMatter))
    expect(problems.some(({ code, severity }) => code === 'entry_arrives_late' && severity === 'info')).toBe(isNoted)
  })
})

describe('read', () => {
  const folder = mkdtempSync(join(tmpdir(), 'contextmd-read-'))
  const file = join(folder, 'rule.md')
  writeFileSync(join(folder, 'guide.md'), 'Guide.')
  const read = (written: string, body = '', projectRoot?: string) =>
    parseEntry(
      file,
      Buffer.from(entryText(body, `when: {command: x}\nread: ${written}`)),
      { name: 's', folder },
      { home: folder, ...(projectRoot ? { projectRoot } : {}) },
    )

  test.each(['guide.md', './guide.md', '~/guide.md', './gone/../guide.md'])('%s', (written) => {
    expect(read(written).entry?.read).toEqual([join(folder, 'guide.md')])
  })

  test('several files, as a list or with commas', () => {
    writeFileSync(join(folder, 'b,c.md'), 'x')
    expect(read('[guide.md, "b,c.md"]').entry?.read).toEqual([join(folder, 'guide.md'), join(folder, 'b,c.md')])
    expect(read('guide.md, b,c.md').entry?.read).toEqual([join(folder, 'guide.md'), join(folder, 'b,c.md')])
  })

  test("a bare name that is not beside the entry is the project's", () => {
    expect(read('docs/deploy.md').entry?.read).toEqual(['docs/deploy.md'])
    expect(read('guide2.md', 'Text.', folder).problems).toMatchObject([{}, { code: 'entry_read_missing', severity: 'warning' }])
  })

  test('a file that is not there: without a text the entry says nothing, with one it is served', () => {
    expect(read('./gone.md')).toMatchObject({ entry: null, lookedFor: [{ path: join(folder, 'gone.md'), wasThere: false }] })
    expect(read('./gone.md', 'Text.').entry).toMatchObject({ read: [], text: 'Text.' })
  })

  test('an empty body without read is a mistake', () => {
    expect(parse(entryText('  \n', 'when: {prompt: x}'))).toMatchObject({
      entry: null,
      problems: [{ code: 'entry_empty', severity: 'error' }],
    })
  })
})

describe('tests of an entry are checked for their shape', () => {
  const shapes: readonly [string, string][] = [
    ['tests: [{match: {comand: y}}]', '`comand` is not a key; the entry is not served'],
    ['tests: [{mach: {command: y}}]', '`mach` is not a key; the entry is not served'],
    ['tests: [{match: {command: y}, no-match: {command: z}}]', '`tests` takes one of `match` and `no-match`; the entry is not served'],
    ['tests: [{match: {access: wirte}}]', '`access` takes one of read, write; the entry is not served'],
    ['tests: yes', '`tests` takes a list of tests, each with `match` or `no-match`; the entry is not served'],
  ]
  test.each(shapes)('%s', (line, message) => {
    const { entry, problems } = parse(entryText('The rule.', `when: {prompt: x}\n${line}`))
    expect(entry).toBeNull()
    expect(problems).toMatchObject([{ severity: 'error', message, line: 3 }])
  })

  test('good ones say nothing', () => {
    const front = 'when: {command: y}\ntests:\n  - match: {command: y 1}\n  - no-match: {prompt: 7}'
    expect(parse(entryText('The rule.', `must-know: true\n${front}`)).problems).toEqual([])
  })
})
