import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { TriggerItem } from '../core/entry.ts'
import { id } from '../core/id.ts'
import type { EntryId } from '../core/id.ts'
import { COMMAND_CASES } from './command.cases.fixture.ts'
import { compile } from './compile.ts'
import { explain } from './explain.ts'
import type { Subject } from './match.ts'
import { matchPlainly } from './plain.ts'
import { READ_CASES } from './reads.cases.fixture.ts'
import { afterTool, beforeTool, entry, prompt, subject } from './subject.fixture.ts'

const COMMANDS = [...COMMAND_CASES.flatMap(({ yes, no }) => [...yes, ...no]), ...READ_CASES.map(({ command }) => command)]
const PATTERNS = COMMAND_CASES.map(({ pattern }) => pattern)
const WORDS = ['deploy', 'Größe', 'go', 'git push', '部署', '--force', 'error', 'ok', 'x', 'FAIL', 'café', 'K', 'straße', 'ſtop', 'ΣΟΦΟΣ']
const REGEXES = [
  '/deploy|release/i',
  '/\\bgo\\b/',
  '/err(or)?s?/',
  '/(foo|bar)baz/',
  '/^x/m',
  '/a+b{2}c?/',
  '/[dD]eploy/',
  '/k/i',
  '/stop/i',
  '/no (thing|body)/',
  '/(?i)FAIL/',
  '/\\x41bc/',
  '/(/',
  '/./',
]
const GLOBS = [
  'src/**',
  '**/*.ts',
  '*.md',
  '!src/gen/**',
  '{src,test}/*.ts',
  '~/x/**',
  '/etc/**',
  '[ab]/**',
  'docs/',
  '**',
  'src/größe/*',
  'SRC/**',
  'x',
]
const PATHS = [
  'src/a.ts',
  'src/gen/a.ts',
  'README.md',
  'test/a.ts',
  'a/b',
  'docs/x/y.md',
  '/etc/hosts',
  '/home/dev/x/y',
  'src/größe/a',
  'x',
]

const word = fc.oneof(fc.constantFrom(...WORDS), fc.string({ maxLength: 6 }), fc.string({ unit: 'grapheme', maxLength: 4 }))
const text = fc
  .array(fc.oneof(word, fc.constantFrom('error', 'FAIL', 'k', 'stop', '\n', 'foobaz', 'aabbc', 'nothing')), { maxLength: 12 })
  .map((words) => words.join(' '))
const pattern = fc.oneof(word, fc.constantFrom(...REGEXES))
const some = <T>(one: fc.Arbitrary<T>) => fc.array(one, { minLength: 1, maxLength: 3 })
const optional = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined, freq: 1 })

const item: fc.Arbitrary<TriggerItem> = fc.letrec<{ item: TriggerItem }>((tie) => ({
  item: fc
    .record({
      session: optional(some(fc.constantFrom('start', 'compact', 'subagent'))),
      prompt: optional(some(pattern)),
      command: optional(some(fc.oneof(fc.constantFrom(...PATTERNS), word))),
      path: optional(some(fc.constantFrom(...GLOBS))),
      access: optional(some(fc.constantFrom('read', 'write'))),
      tool: optional(some(fc.constantFrom('shell', 'edit', 'Bash', 'mcp:*'))),
      content: optional(some(pattern)),
      output: optional(some(pattern)),
      failed: optional(fc.boolean()),
      not: optional(fc.array(tie('item'), { maxLength: 2, depthIdentifier: 'not' })),
    })
    // A missing key and one that is undefined are the same to us, not to the type.
    .map((made) => Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined)) as TriggerItem),
})).item

const single: fc.Arbitrary<TriggerItem> = fc.oneof(
  pattern.map((prompt) => ({ prompt: [prompt] })),
  fc.constantFrom(...PATTERNS).map((command) => ({ command: [command] })),
  fc.constantFrom(...GLOBS).map((path) => ({ path: [path] })),
  pattern.map((output) => ({ output: [output] })),
  pattern.map((content) => ({ content: [content] })),
)

const entries = fc
  .array(fc.array(fc.oneof(single, item), { minLength: 1, maxLength: 3 }), { maxLength: 12 })
  .map((all) => all.map((when, number) => entry({ id: id<EntryId>(`e${number}`), when })))

const call = fc.record({
  command: optional(fc.oneof(fc.constantFrom(...COMMANDS), fc.string({ maxLength: 40 }))),
  content: optional(text),
  paths: fc.array(
    fc.record({ path: fc.constantFrom(...PATHS), access: fc.constantFrom('read', 'write', 'unknown') }).map(({ path, access }) => {
      const absolute = path.startsWith('/') ? path : `/home/dev/app/${path}`
      return { path: absolute, real: absolute, access }
    }),
    { maxLength: 3 },
  ),
})
// Keys that are undefined are left out, as a decoder does.
const defined = <T extends object>(made: T) =>
  Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined)) as Partial<T>

const moment: fc.Arbitrary<Subject> = fc.oneof(
  text.map((words) => prompt(words)),
  call.map((own) => beforeTool(defined(own) as Parameters<typeof beforeTool>[0])),
  fc
    .tuple(call, text, fc.constantFrom('ok', 'failed', 'unknown'))
    .map(([own, output, state]) => afterTool(defined(own) as Parameters<typeof beforeTool>[0], { output, state })),
  fc
    .constantFrom<('start' | 'compact')[]>(['start'], ['compact'], [])
    .map((sessionTriggers) => subject({ kind: 'session-start', source: 'startup' }, { sessionTriggers })),
)

test('the index gives exactly what the plain loop gives', () => {
  fc.assert(
    fc.property(entries, moment, (all, at) => {
      expect(compile(all).match(at)).toEqual(matchPlainly(all, at))
    }),
    { numRuns: 400 },
  )
})

test('the index gives what the plain loop gives on every command of the tables, all patterns at once', () => {
  const all = PATTERNS.map((command, number) => entry({ id: id<EntryId>(`e${number}`), when: [{ command: [command] }] }))
  const matcher = compile(all)
  for (const command of COMMANDS) {
    const at = beforeTool({ command })
    expect(matcher.match(at), command).toEqual(matchPlainly(all, at))
  }
})

test('an explanation agrees with the matcher', () => {
  fc.assert(
    fc.property(entries, moment, (all, at) => {
      const found = new Map(
        compile(all)
          .match(at)
          .candidates.map((candidate) => [candidate.entry, candidate.item]),
      )
      for (const one of all) {
        const explanation = explain(one, at)
        expect(explanation.matched).toBe(found.has(one))
        const first = explanation.items.find(({ matched }) => matched)
        expect(first?.item).toBe(found.get(one))
        for (const report of explanation.items) {
          if (report.matched) expect(report.conditions.every(({ matched }) => matched)).toBe(true)
        }
      }
    }),
    { numRuns: 100 },
  )
})

test('matching the same moment twice gives the same', () => {
  const matcher = compile([entry({ when: [{ command: ['git push'] }, { output: ['x'] }] })])
  const at = beforeTool({ command: 'git push' })
  expect(matcher.match(at)).toEqual(matcher.match(at))
})

describe('many entries', () => {
  const all = Array.from({ length: 10_000 }, (_, number) =>
    entry({
      id: id<EntryId>(`e${number}`),
      when: [
        [
          { command: [`tool-${number} run`] },
          { command: [`git verb${number}`] },
          { path: [`src/area${number}/**`] },
          { prompt: [`topic ${number}`] },
          { output: [`/E${number}: .* failed/`] },
        ][number % 5] ?? {},
      ],
    }),
  )
  test('M6: only the few that may match are tried', () => {
    const matcher = compile(all)
    expect(matcher.match(beforeTool({ command: 'git -C x verb4321 --all' })).candidates.map(({ entry: found }) => found.id)).toEqual([
      'e4321',
    ])
    expect(
      matcher.match(beforeTool({ command: 'tool-5000 run && rm src/area17/x' })).candidates.map(({ entry: found }) => found.id),
    ).toEqual(['e17', 'e5000'])
    expect(matcher.match(beforeTool({ command: 'rm src/area9992/x' })).candidates.map(({ entry: found }) => found.id)).toEqual(['e9992'])
    expect(matcher.match(prompt('about Topic 4323!')).candidates.map(({ entry: found }) => found.id)).toEqual(['e4323'])
    expect(
      matcher.match(afterTool({ command: 'x' }, { output: 'E4324: it failed' })).candidates.map(({ entry: found }) => found.id),
    ).toEqual(['e4324'])
  })
})
