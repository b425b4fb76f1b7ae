import { expect, test } from 'vitest'
import { isNewer } from './newer.ts'

/** Each one is newer than all before it. */
const RISING = ['nonsense', '0.1.0-beta.2', '0.1.0-beta.10', '0.1.0-rc.1', '0.1.0', '0.1.1', '0.2.0', '0.10.0', '1.0.0', '10.0.0']

test.each(RISING.flatMap((than, low) => RISING.map((version, high) => ({ version, than, is: high > low }))))(
  '$version is newer than $than: $is',
  ({ version, than, is }) => expect(isNewer(version, than)).toBe(is),
)

test('what stands behind a plus does not count', () => {
  expect([isNewer('1.0.0+b', '1.0.0+a'), isNewer('1.0.1+a', '1.0.0+b')]).toEqual([false, true])
})
