import { expect, test } from 'vitest'
import { Bed, entry } from '../core/core.fixture.ts'
import type { Entry } from '../core/entry.ts'
import { id, type CallId } from '../core/id.ts'
import { subject } from '../match/subject.fixture.ts'
import { conductsOf } from './conduct.ts'

const rule = entry('rule', { when: [{ command: ['git commit'] }], obeyedWhen: [{ command: ['git commit -m'] }] })

function conductOf(command: string, inForce: Entry) {
  const bed = new Bed()
  bed.handed(bed.prompt([rule]))
  const call = { id: id<CallId>('c'), tool: 'shell', harnessTool: 'Bash', command, cwd: '/home/dev/app', paths: [] }
  const asked = subject({ kind: 'before-tool', call })
  const matched = { candidates: command.startsWith('git commit') ? [{ entry: inForce, item: 0 }] : [], notAnalysed: null }
  return conductsOf(bed.context, new Map([[inForce.id, inForce]]), asked, matched).get(rule.id)
}

test('doing what counts as obeying obeys; what the entry is about in another way is only an occasion; anything else is none', () => {
  expect(conductOf('git commit -m x', rule)).toBe('obeyed')
  expect(conductOf('git commit', rule)).toBe('occasion')
  expect(conductOf('ls', rule)).toBeUndefined()
})

test('law 15: an edited entry says nothing about whether the old text was obeyed', () => {
  const edited = entry('rule', { when: rule.when, obeyedWhen: rule.obeyedWhen, text: 'Edited.' })
  for (const command of ['git commit -m x', 'git commit']) expect(conductOf(command, edited)).toBeUndefined()
})
