import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { entryText, scratch, type Scratch } from '../stores/scratch-store.fixture.ts'
import { CommandError } from './command.ts'
import { command } from './lint.ts'

async function run(at: Scratch, ...argv: string[]): Promise<{ code: number; out: string }> {
  let out = ''
  const stdout = { write: (text: string) => (out += text) }
  const code = await command.run(argv, { stdout, stderr: stdout, env: { HOME: at.home, XDG_CONFIG_HOME: join(at.home, '.config') } })
  return { code, out }
}

test('S3: each mistake is a line with file, line, severity, reason and cure, and the exit code is 1', async () => {
  using at = scratch()
  const bad = at.write('.config/contextmd/rules/bad.md', entryText('x', 'title: x\nwhen:\n  - commnd: git push'))
  at.write('.config/contextmd/rules/good.md', entryText('x', 'when: {command: make}'))
  const { code, out } = await run(at)
  expect(code).toBe(1)
  expect(out).toContain(`${bad}:4: error: \`commnd\` is not a key; the entry is not served (write \`command\`)\n`)
  expect(out).toMatch(/good\.md:2: info: plain text reaches the agent with the call's result, after the call ran \(add `must-know: true`/)
  expect(out).toMatch(/1 error, 0 warnings, 1 info\n$/)
})

test('--json gives the same for programs', async () => {
  using at = scratch()
  at.write('.config/contextmd/rules/old.md', entryText('x', 'when: {prompt: x}\nexpires: 2020-01-01\nholdout: true'))
  const { code, out } = await run(at, '--json')
  expect(code).toBe(0)
  expect(JSON.parse(out)).toMatchObject({
    problems: [{ code: 'entry_expired', key: 'expires' }],
    errors: 0,
    warnings: 0,
    infos: 1,
  })
})

test('serving.json is checked too', async () => {
  using at = scratch()
  at.write('.config/contextmd/serving.json', '{"stors": []}')
  const { code, out } = await run(at)
  expect(code).toBe(1)
  expect(out).toMatch(/serving\.json:1: error: `stors` is not a key/)
})

test('a folder that is no store', async () => {
  using at = scratch()
  at.write('drafts/a.md', entryText('One.', 'id: same\nwhen: {prompt: x}'))
  at.write('drafts/b.md', entryText('Two.', 'id: same\nwhen: {prompt: x}'))
  const { code, out } = await run(at, join(at.home, 'drafts'))
  expect(code).toBe(0)
  expect(out).toMatch(/b\.md: warning: the id "same" is taken by .*a\.md/)
  await expect(run(at, join(at.home, 'gone'))).rejects.toThrow(CommandError)
})

test('the example entries have no mistakes', async () => {
  using at = scratch()
  for (const name of ['rules', 'starter']) {
    const { code, out } = await run(at, fileURLToPath(new URL(`../../examples/${name}`, import.meta.url)))
    expect(code).toBe(0)
    expect(out).toMatch(/0 errors, 0 warnings/)
  }
})

/** Root reads everything, unless it gives that right away. */
const isRoot = process.getuid?.() === 0
const wrapper = isRoot ? ['setpriv', '--bounding-set', '-dac_override,-dac_read_search'] : []
const canWrap = !isRoot || spawnSync('setpriv', ['--version']).status === 0

test.runIf(canWrap)('an entry and a folder that may not be read are told of', () => {
  using at = scratch()
  const file = at.write('rules/a.md', entryText('A.'))
  at.write('rules/closed/b.md', entryText('B.'))
  chmodSync(file, 0)
  chmodSync(join(at.home, 'rules/closed'), 0)
  const script = `import { command } from ${JSON.stringify(new URL('lint.ts', import.meta.url))}
    await command.run([${JSON.stringify(join(at.home, 'rules'))}, '--json'], { stdout: process.stdout, stderr: process.stderr, env: process.env })`
  const [program = '', ...args] = [...wrapper, process.execPath, '--input-type=module', '-e', script]
  const out = execFileSync(program, args, { encoding: 'utf8' })
  chmodSync(join(at.home, 'rules/closed'), 0o700)
  expect(JSON.parse(out).problems).toMatchObject([
    { code: 'entry_no_permission', severity: 'error', file, cure: expect.stringContaining('chmod') },
    { code: 'store_folder_unreadable', severity: 'error', file: join(at.home, 'rules/closed') },
  ])
})
