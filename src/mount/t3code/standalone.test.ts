import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const SRC = fileURLToPath(new URL('../../', import.meta.url))

test('standalone, nothing of Effect is loaded', () => {
  const script = fileURLToPath(new URL('standalone.fixture.ts', import.meta.url))
  const told = execFileSync(process.execPath, [script], { encoding: 'utf8' })
  expect(JSON.parse(told)).toEqual({ status: 204, loaded: [] })
})

test('only the mount names Effect, and nobody names the mount', () => {
  const files = globSync('**/*.ts', { cwd: SRC }).filter((file) => !file.startsWith('mount/'))
  expect(files.length).toBeGreaterThan(100)
  const naming = files.filter((file) => /(from|import\() *['"](@?effect[/'"]|[^'"]*mount\/)/.test(readFileSync(SRC + file, 'utf8')))
  expect(naming).toEqual([])
})
