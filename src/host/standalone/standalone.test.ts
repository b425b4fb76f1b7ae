import { expect, test } from 'vitest'
import { contextIdOf, id, type AgentId, type SessionId } from '../../core/id.ts'
import type { Moment } from '../../core/moment.ts'
import type { ThreadState } from '../../host.ts'
import { standaloneHost } from './standalone.ts'

const [PARENT, CHILD] = [id<SessionId>('parent'), id<SessionId>('child')]

function momentOf(session: SessionId, kind: 'prompt' | 'stop' | 'subagent-start'): Moment {
  const base = {
    harness: 'grok',
    session,
    agent: session === CHILD ? id<AgentId>(CHILD) : null,
    context: contextIdOf('grok', session, null),
    event: kind,
    deliveryId: null,
    turn: null,
    cwd: '/home/dev/project',
    records: null,
    at: 0,
  } as const
  if (kind === 'prompt') return { ...base, kind, text: 'go', machineMade: session === CHILD }
  return kind === 'stop' ? { ...base, kind, again: false } : { ...base, kind, parent: PARENT }
}

/** The state of the session's thread after these moments of it. */
function after(kinds: readonly ('prompt' | 'stop')[], session = PARENT): ThreadState {
  const state = kinds.reduce<ThreadState | null>((before, kind) => standaloneHost.join(momentOf(session, kind), before).thread, null)
  if (state === null) throw new Error('no moment was given')
  return state
}

const start = (before: ThreadState | null, parent: ThreadState | null) =>
  standaloneHost.join(momentOf(CHILD, 'subagent-start'), before, parent)

test('T9: a subagent with a session of its own works in the run that started it, whatever its parent does meanwhile', () => {
  const { thread } = start(null, after(['prompt', 'stop', 'prompt']))
  expect(thread).toMatchObject({ session: CHILD, thread: 'grok/parent', run: 'grok/parent#2' })
  expect(thread?.moved).toBeUndefined()
  for (const kind of ['prompt', 'stop'] as const)
    expect(standaloneHost.join(momentOf(CHILD, kind), thread).joining).toMatchObject({ thread: 'grok/parent', run: 'grok/parent#2' })
})

test('T9: what came before its start was told belongs to that run, too', () => {
  const apart = after(['prompt'], CHILD)
  expect(apart).toMatchObject({ thread: 'grok/child', run: 'grok/child#1' })
  const joined = start(apart, after(['prompt'])).thread
  expect(joined).toMatchObject({ run: 'grok/parent#1', moved: { from: 'grok/child#1', to: 'grok/parent#1' } })
  // gone on with in a later run: what belongs to the first one stays there
  expect(start(joined, after(['prompt', 'stop', 'prompt'])).thread).toMatchObject({
    run: 'grok/parent#2',
    moved: { from: 'grok/child#1', to: 'grok/parent#1' },
  })
})

test('a parent that is not known leaves it a thread of its own', () => {
  expect(start(null, null).thread).toMatchObject({ thread: 'grok/child', run: 'grok/child#1' })
})
