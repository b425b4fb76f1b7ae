import { expect, test } from 'vitest'
import { platformNote } from './setup-platform.ts'

test('what is not supported is said', () => {
  expect([platformNote('linux'), platformNote('darwin')]).toEqual([null, null])
  expect(platformNote('win32')).toContain('WSL')
  expect(platformNote('freebsd')).toContain('not tried on freebsd')
})
