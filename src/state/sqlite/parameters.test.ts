import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

test('no statement has numbered parameters: Node 22.16 to 22.18 can not bind them by position', () => {
  const own = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  expect(own.length).toBeGreaterThan(10)
  for (const name of own) expect(readFileSync(join(import.meta.dirname, name), 'utf8'), name).not.toMatch(/[^?]\?[1-9]\b/)
})
