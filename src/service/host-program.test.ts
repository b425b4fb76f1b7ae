import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { credentialIn } from './host-credential.ts'
import { objectIn, runHostProgram, shown } from './host-program.ts'

/** Far off: what takes so long hangs, and the test with it. */
const LIMIT_MS = 600_000

function program(script: string): { program: string; args: string[]; env: NodeJS.ProcessEnv } {
  const folder = mkdtempSync(join(tmpdir(), 'contextmd-program-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 't3')
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  return { program: path, args: [], env: { PATH: process.env['PATH'] } }
}

const run = (script: string) => runHostProgram(program(script), credentialIn, LIMIT_MS)

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
    const script = `echo 'Migrating {0 of 2}'; echo '{"level":"info","text":"a } in a \\\\" text {"}'; printf '{\\n  "id": "p1",\\n  "credential": "abc"\\n}\\n'; echo 'done {"credential":"later"}'`
    expect(await run(script)).toMatchObject({ code: 0, found: 'abc' })
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

test.each([
  ['\u001b[31mred\u001b[0m\r\nand\u001b[2J more\u001b(B', 'red\nand more'],
  ['\u001b]0;title\u0007text\u001b]8;;http://x\u001b\\link', 'textlink'],
  ['a\u0000b\u0008c\u009b31md\u202ee\u200bf', 'abc31mdef'],
  ['Authorization: Bearer abc.def', 'Authorization: Bearer ****'],
  ['{"credential":"abc","token": "xyz"}', '{"credential":"****","token": "****"}'],
  ['got eyJzaWQiOiJzLTEifQ0123456789.c2lnbmF0dXJl back', 'got **** back'],
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
