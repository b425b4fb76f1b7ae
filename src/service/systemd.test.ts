import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readUnit, UNIT, unitFile, unitText } from './systemd.ts'
import type { ServiceWish } from './wish.ts'

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0

function wish(more: Partial<ServiceWish> = {}): ServiceWish {
  return {
    program: { node: process.execPath, launcher: '/home/dev/node_modules/contextmd/bin/contextmd.js' },
    args: ['serve', '--as', 'service'],
    environment: { CONTEXTMD_DATA: '/home/dev/data' },
    log: '/home/dev/server.log',
    ...more,
  }
}

/** What systemd itself finds wrong with a unit. */
function complaints(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'contextmd-unit-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'run'), { mode: 0o700 })
  const file = join(folder, UNIT)
  writeFileSync(file, text)
  const ran = spawnSync('systemd-analyze', ['--user', 'verify', file], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: folder, XDG_RUNTIME_DIR: join(folder, 'run') },
  })
  return ran.stdout + ran.stderr
}

test.skipIf(!hasSystemd)('systemd has nothing to say about the unit (needs systemd-analyze)', () => {
  expect(complaints(unitText(wish()))).toBe('')
  const odd = wish({
    program: { node: process.execPath, launcher: String.raw`/home/dev/a "b" $HOME %h \ 'c'/bin/contextmd.js` },
    environment: { CONTEXTMD_DATA: String.raw`/home/dev/100 % "x" \ $y` },
  })
  expect(complaints(unitText(odd))).toBe('')
})

test.skipIf(!hasSystemd)('and it would say so if there were something (needs systemd-analyze)', () => {
  expect(complaints(unitText(wish()).replace('Restart=on-failure', 'Restart=sometimes'))).toContain('sometimes')
  expect(complaints(unitText(wish()).replace('UMask', 'UMusk'))).toContain('UMusk')
})

test('words keep what they mean to us: nothing is a variable or a specifier', () => {
  const text = unitText(wish({ program: { node: '/a b/node', launcher: '/$HOME/%h/"x"\\y' }, environment: { A: '$b %c "d"' } }))
  expect(text).toContain(String.raw`ExecStart="/a b/node" "/$$HOME/%%h/\"x\"\\y" "serve" "--as" "service"`)
  expect(text).toContain(String.raw`Environment="A=$b %%c \"d\""`)
})

test('what it says is read back as it was meant; lines of another form are passed over', () => {
  const odd = String.raw`/home/dev/a "b" $HOME $$ %h %% \ \" 'c'=d`
  const text = unitText(wish({ program: { node: '/a "b"/node', launcher: odd }, environment: { CONTEXTMD_DATA: odd, LANG: 'C' } }))
  expect(readUnit(text)).toEqual({ launcher: odd, environment: { CONTEXTMD_DATA: odd, LANG: 'C' } })
  expect(readUnit('[Service]\nExecStart=/usr/bin/node x\nEnvironment=A=b\n')).toEqual({ launcher: null, environment: {} })
})

test('it is started again after a failure, not after an end that was asked for', () => {
  expect(unitText(wish())).toMatch(/^Restart=on-failure$/m)
})

test.each([
  [{}, '/home/dev/.config/systemd/user/contextmd.service'],
  [{ XDG_CONFIG_HOME: '/home/dev/etc' }, '/home/dev/etc/systemd/user/contextmd.service'],
])('with %o it is %s', (env, file) => expect(unitFile(env, '/home/dev')).toBe(file))

test.skipIf(!hasSystemd)('the command line that systemd reads is the one that was meant (needs systemd-analyze)', () => {
  // systemd's own rules for words, read back by a shell that has the same ones for these
  const launcher = '/home/dev/a b/bin/contextmd.js'
  const line = unitText(wish({ program: { node: '/usr/bin/node', launcher } })).match(/^ExecStart=(.*)$/m)?.[1] ?? ''
  const words = execFileSync('sh', ['-c', `for word in ${line}; do echo "$word"; done`], { encoding: 'utf8' })
  expect(words.trimEnd().split('\n')).toEqual(['/usr/bin/node', launcher, 'serve', '--as', 'service'])
})
