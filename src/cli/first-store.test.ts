import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { pathsFrom } from '../paths.ts'
import { planFirstStore } from './first-store.ts'

test('nobody else may write rules, also under a umask that lets them', () => {
  const home = mkdtempSync(join(tmpdir(), 'contextmd-first-store-'))
  const before = process.umask(0)
  onTestFinished(() => {
    process.umask(before)
    rmSync(home, { recursive: true })
  })
  const paths = pathsFrom({ HOME: home })
  planFirstStore(paths).make()
  const made = readdirSync(paths.config, { recursive: true, encoding: 'utf8' }).map((name) => join(paths.config, name))
  expect(made).toContain(paths.serving)
  for (const path of [paths.config, ...made]) expect([path, statSync(path).mode & 0o022]).toEqual([path, 0])
})
