import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { keepHostToken } from '../install/host-token.ts'
import { pathsFrom } from '../paths.ts'
import { stateFileOf } from './doctor-state.ts'

test('while the host that hooks are set up for is down, the state is looked for in its folder', async () => {
  const home = mkdtempSync(join(tmpdir(), 'contextmd-doctor-state-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const paths = pathsFrom({ HOME: home })
  expect(await stateFileOf(paths)).toBe(paths.state)
  const times = { issuedAt: 0, expiresAt: 1 }
  keepHostToken(paths.data, {
    base: home,
    stateDir: join(home, 'userdata'),
    port: 1,
    token: 't',
    session: null,
    hooksStarted: false,
    ...times,
  })
  expect(await stateFileOf(paths)).toBe(join(home, 'userdata', 'contextmd.sqlite'))
})
