import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Entry, TriggerItem } from '../core/entry.ts'
import { id, type EntryId } from '../core/id.ts'
import { compile } from './compile.ts'
import type { Subject } from './match.ts'
import { createCompiler, MOST_CHANGED } from './recompile.ts'
import { beforeTool, entry, prompt } from './subject.fixture.ts'

const named = (name: string, item: TriggerItem): Entry => entry({ id: id<EntryId>(name), when: [item] })

const POOL: readonly Entry[] = Array.from({ length: 40 }, (_, number) =>
  named(`e${number}`, number % 2 === 0 ? { command: [`tool${number % 7} run`] } : { prompt: [`word${number % 5}`] }),
)
const SUBJECTS: readonly Subject[] = [
  ...[0, 2, 4].map((number) => beforeTool({ command: `tool${number} run x` })),
  ...[1, 3].map((number) => prompt(`please word${number}`)),
]

const found = (matcher: ReturnType<typeof compile>) =>
  SUBJECTS.map((one) =>
    matcher
      .match(one)
      .candidates.map(({ entry: { id }, item }) => `${id} ${item}`)
      .toSorted(),
  )

test('after any edits it finds what a fresh index finds', () => {
  fc.assert(
    fc.property(fc.array(fc.uniqueArray(fc.nat(POOL.length - 1)), { minLength: 1, maxLength: 8 }), (states) => {
      const recompile = createCompiler()
      for (const state of states) {
        const entries = state.map((index) => POOL[index]!)
        expect(found(recompile(entries))).toEqual(found(compile(entries)))
      }
    }),
    { numRuns: 200 },
  )
})

test('more changes than the small index takes make the large one anew', () => {
  const many = (name: string) =>
    Array.from({ length: MOST_CHANGED + 1 }, (_, number) => named(`${name}${number}`, { command: [`tool${number % 7} run`] }))
  const recompile = createCompiler()
  recompile(many('a'))
  const entries = many('b')
  expect(found(recompile(entries))).toEqual(found(compile(entries)))
})
