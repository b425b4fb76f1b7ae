import { expect, test } from 'vitest'
import { id, type ThreadId } from '../core/id.ts'
import { isHeldOut } from './holdout.ts'

test('about one thread in five is held out, always the same, and another salt picks others', () => {
  const threads = Array.from({ length: 2_000 }, (_, number) => id<ThreadId>(`claude-code/thread-${number}`))
  const held = (salt: string) => threads.filter((thread) => isHeldOut(thread, salt))
  expect(held('one')).toEqual(held('one'))
  expect(held('one')).not.toEqual(held('two'))
  expect(held('one').length).toBeGreaterThan(300)
  expect(held('one').length).toBeLessThan(500)
})
