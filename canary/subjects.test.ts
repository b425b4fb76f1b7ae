import { expect, test } from 'vitest'
import { SUBJECTS } from './subjects.ts'

test.each(Object.entries(SUBJECTS))('rows of %s have names of their own, and excuses a day and a reason', (_, { rows, excused }) => {
  const names = [...rows, ...excused].map(({ name }) => name)
  expect(names.toSorted()).toEqual([...new Set(names)].toSorted())
  for (const { excuse } of excused) {
    expect(excuse.since).toMatch(/^\d{4}-\d\d-\d\d$/)
    expect(excuse.why).not.toBe('')
  }
})

test('each harness is a subject of its own name, and brings its own package', () => {
  for (const name of ['claude-code', 'codex', 'grok', 'opencode']) expect(SUBJECTS[name]?.profile.name).toBe(name)
  for (const { profile, packageOf } of Object.values(SUBJECTS)) {
    expect(packageOf('1.2.3')).toMatchObject({ name: profile.name, version: '1.2.3' })
    expect(packageOf().version).toMatch(/^\d+\.\d+\.\d+$/)
  }
})
