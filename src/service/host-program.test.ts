import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { credentialIn, versionIn } from './host-credential.ts'
import { objectIn, runHostProgram, shown } from './host-program.ts'

/** Far off: what takes so long hangs, and the test with it. */
const LIMIT_MS = 600_000
/** Between two looks at what another process does. */
const LOOK_EVERY_MS = 20

function program(script: string): { program: string; args: string[]; env: NodeJS.ProcessEnv } {
  const folder = mkdtempSync(join(tmpdir(), 'contextmd-program-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 't3')
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  return { program: path, args: [], env: { PATH: process.env['PATH'] } }
}

const run = (script: string) => runHostProgram(program(script), credentialIn, LIMIT_MS)

/** A wrapper that starts the program as its child, which stays. `out` gives the child's process, null before it is there. */
function held600(says = `echo '{"credential":"abc"}'`) {
  const held = program(`sleep 600 & echo $! > "$0.draft"; mv "$0.draft" "$0.pid"; ${says}; wait`)
  const file = `${held.program}.pid`
  const out = (): number | null => (existsSync(file) ? Number(readFileSync(file, 'utf8')) : null)
  onTestFinished(() => {
    const pid = out()
    if (pid !== null && isRunning(pid)) process.kill(pid, 'SIGKILL')
  })
  return { held, out }
}

/** A zombie, whom nobody has waited for yet, has ended. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z')
}

async function ended(pid: number | null): Promise<void> {
  if (pid === null) throw new Error('it was not started')
  while (isRunning(pid)) await pause(LOOK_EVERY_MS)
}

// each test starts processes, on a busy machine for seconds
vi.setConfig({ testTimeout: 180_000 })

describe('the host`s program', () => {
  test('has ended when it has, though what it started holds its output open', async () => {
    const held = await run(`(exec sleep 5) & echo '{"credential":"abc"}'; exit 0`)
    expect(held).toEqual({ code: 0, found: 'abc', err: '' })
    expect(await run(`(exec sleep 5) & echo "no database" >&2; exit 3`)).toEqual({ code: 3, found: null, err: 'no database\n' })
  })

  test('that has printed what is wanted and stays is ended', async () => {
    expect(await run(`echo '{"credential":"abc"}'; exec sleep 600`)).toEqual({ code: null, found: 'abc', err: '' })
  })

  test('may say something before and behind its JSON, also as JSON and with braces', async () => {
    const script = `echo 'Migrating {0 of 2}'; echo '{"level":"info","text":"a } in a \\\\" text {"}'; printf '{\\n  "id": "p1",\\n  "credential": "abc"\\n}\\ndone {"credential":"later"}\\n'`
    expect(await run(script)).toMatchObject({ code: 0, found: 'later' })
  })

  test('may name another credential in a line of its log: the last one counts, and of nested ones the outermost', async () => {
    const script = `printf '{"error":{"credential":"placeholder"}}\\n{"credential":"real","was":{"credential":"inner"}}\\n'`
    expect(await run(script)).toMatchObject({ found: 'real' })
  })

  test.each(['echo "log {a $i"', `echo "{\\"level\\":30,\\"n\\":$i}"`])(
    'may print many braces before and behind its credential: %s',
    async (line) => {
      const many = `i=0; while [ $i -lt 300 ]; do ${line}; i=$((i+1)); done`
      const credential = `echo '{"credential":"abc"}'`
      expect(await run(`${many}; ${credential}`)).toMatchObject({ found: 'abc' })
      expect(await run(`${credential}; ${many}`)).toMatchObject({ found: 'abc' })
    },
  )

  test('is ended with what a wrapper started for it', async () => {
    const { out, held } = held600()
    expect(await runHostProgram(held, credentialIn, LIMIT_MS)).toMatchObject({ code: null, found: 'abc' })
    await ended(out())
  })

  test.each(['SIGINT', 'SIGTERM'] as const)('is ended with what it started when its person breaks off with %s', async (signal) => {
    const { out, held } = held600(':')
    const url = new URL('host-program.ts', import.meta.url).href
    const code = `const { runHostProgram } = await import(${JSON.stringify(url)}); await runHostProgram(${JSON.stringify(held)}, () => null, ${LIMIT_MS})`
    const ours = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'inherit' })
    onTestFinished(() => void ours.kill('SIGKILL'))
    const end = once(ours, 'exit')
    while (out() === null) await pause(LOOK_EVERY_MS)
    ours.kill(signal)
    expect(await end).toEqual([null, signal])
    await ended(out())
  })

  test('leaves no watch on signals behind', async () => {
    const before = process.listenerCount('SIGINT') + process.listenerCount('exit')
    await run('exit 0')
    expect(process.listenerCount('SIGINT') + process.listenerCount('exit')).toBe(before)
  })

  test('that prints without end is kept to a bound, and its JSON is found all the same', async () => {
    const flood = `i=0; while [ $i -lt 300 ]; do echo "${'x'.repeat(1_000)}" >&2; i=$((i+1)); done`
    const flooded = await run(`${flood} 2>&1; ${flood}; echo '{"credential":"abc"}'; echo last >&2`)
    expect(flooded).toMatchObject({ code: 0, found: 'abc' })
    expect(flooded.err.length).toBe(64 * 1024)
    expect(flooded.err.endsWith('last\n')).toBe(true)
  })

  test('that is missing gives nothing', async () => {
    expect(await runHostProgram({ program: '/nowhere/t3', args: [], env: {} }, credentialIn, LIMIT_MS)).toMatchObject({
      code: null,
      found: null,
    })
  })
})

test('an object is found whatever text without braces stands around it', () => {
  const around = fc.string().filter((text) => !/[{}]/.test(text))
  fc.assert(
    fc.property(around, around, fc.string(), (before, after, value) => {
      const text = `${before}${JSON.stringify({ value })}${after}`
      expect(objectIn(text, (found) => found)).toEqual({ value })
    }),
  )
})

test('what is wanted and not there costs little, however many braces there are', () => {
  expect(objectIn('{'.repeat(64 * 1024), () => null)).toBeNull()
  expect(credentialIn(`${'{"a":'.repeat(10_000)}}`)).toBeNull()
})

test('a version is a whole word near the beginning, of parts that are bounded', () => {
  expect(versionIn('t3 v0.0.42-nightly.20261130.7\n')).toBe('0.0.42-nightly.20261130.7')
  expect(versionIn('t3 1.2.3')).toBeNull()
  expect(versionIn(`${' '.repeat(5_000)}1.2.3\n`)).toBeNull()
  expect(versionIn(`${'1'.repeat(64 * 1024)} 1.2.3\n`)).toBeNull()
  expect(versionIn('1234567.2.3\n')).toBeNull()
})

test.each([
  ['\u001b[31mred\u001b[0m\r\nand\u001b[2J more\u001b(B', 'red\nand more'],
  ['\u001b]0;title\u0007text\u001b]8;;http://x\u001b\\link', 'textlink'],
  ['a\u0000b\u0008c\u009b31md\u202ee\u200bf', 'abc31mdef'],
  ['Authorization: Bearer abc.def', 'Authorization: Bearer ****'],
  ['{"credential":"abc","token": "xyz"}', '{"credential":"****","token": "****"}'],
  ['got eyJzaWQiOiJzLTEifQ0123456789.c2lnbmF0dXJl back', 'got **** back'],
  ['pairing code ABCD-1234-EFGH was made; credential abcd1234efgh exists', 'pairing code **** was made; credential **** exists'],
  ['the Pairing code is ABCDEFGHJKLM', 'the Pairing code is ****'],
  ['access_token "xyz1" and token secret AB12', 'access_token "****" and token secret ****'],
  ['the token expired: exit code 3, decode ABC', 'the token expired: exit code 3, decode ABC'],
  ['no such file /home/dev/.t3/userdata/statev2.sqlite', 'no such file /home/dev/.t3/userdata/statev2.sqlite'],
])('%j is shown as %j', (said, seen) => {
  expect(shown(said)).toBe(seen)
})

test('whatever a program says, little of it and no control character is shown', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.nat(50), (said, times) => {
      const seen = shown(said.repeat(times))
      expect(seen.length).toBeLessThanOrEqual(2_000)
      expect(seen.replaceAll('\n', '').replaceAll('\t', '')).not.toMatch(/\p{Cc}/u)
    }),
  )
})
