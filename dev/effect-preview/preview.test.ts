import * as effect from 'effect'
import { Layer } from 'effect'
import { expect, test } from 'vitest'
import { contextmd } from '../../src/mount/t3code/preview.ts'

test('these tests run on the preview, and so does the mount', () => {
  // a module that came with 4.1.0
  expect('ByteSize' in effect).toBe(false)
  expect(Layer.isLayer(contextmd())).toBe(true)
})
