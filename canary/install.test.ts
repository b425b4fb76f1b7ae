/** What is in the cache is used without the network: the programs here are small scripts. */
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { cacheFolder, installHarness } from './install.ts'
import type { HarnessPackage } from './install.ts'

const WANTED: HarnessPackage = {
  name: 'sample',
  npmName: '@contextmd/no-such-harness',
  version: '1.2.3',
  programs: ['a/sample', 'b/sample'],
}

let cache = ''

beforeEach(async () => {
  cache = await mkdtemp(join(tmpdir(), 'contextmd-install-'))
})

afterEach(() => rm(cache, { recursive: true, force: true }))

async function inCache(path: string, script: string): Promise<void> {
  const program = join(cache, 'sample', '1.2.3', 'node_modules', path)
  await mkdir(dirname(program), { recursive: true })
  await writeFile(program, script)
  await chmod(program, 0o755)
}

function env(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], CONTEXTMD_CANARY_CACHE: cache }
}

test('the program in the cache is used, whichever of its places it lies in', async () => {
  await inCache('b/sample', '#!/bin/sh\necho "1.2.3 (Sample)"\n')
  const lines: string[] = []
  const installed = await installHarness(WANTED, env(), (line) => lines.push(line))
  expect(installed).toEqual({ program: join(cache, 'sample', '1.2.3', 'node_modules', 'b/sample'), version: '1.2.3' })
  expect(lines.join()).not.toContain('installing')
})

test('a program of another version is refused', async () => {
  await inCache('a/sample', '#!/bin/sh\necho 9.9.9\n')
  await expect(installHarness(WANTED, env(), () => {})).rejects.toMatchObject({ code: 'wrong_version' })
})

test('a cache without a program for this platform is refused with its folder', async () => {
  await mkdir(join(cache, 'sample', '1.2.3'), { recursive: true })
  await expect(installHarness(WANTED, env(), () => {})).rejects.toMatchObject({
    code: 'no_program',
    message: expect.stringContaining(cache),
  })
})

test('the cache lies in the user cache unless a folder is named', () => {
  expect(cacheFolder({ HOME: '/home/dev' })).toBe('/home/dev/.cache/contextmd-canary')
  expect(cacheFolder({ HOME: '/home/dev', XDG_CACHE_HOME: '/home/dev/c' })).toBe('/home/dev/c/contextmd-canary')
  expect(cacheFolder({ CONTEXTMD_CANARY_CACHE: '/home/dev/here' })).toBe('/home/dev/here')
})
