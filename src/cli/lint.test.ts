import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, readFileSync } from 'node:fs'
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

test('entries that can never fire, that are too long, that are slow', async () => {
  using at = scratch()
  const rule = (name: string, front: string, text = 'x') =>
    at.write(`.config/contextmd/rules/${name}.md`, entryText(text, `must-know: true\n${front}`))
  rule('dead', 'when:\n  - tool: read\n    command: cat')
  rule('gone', 'when:\n  - path: /nowhere/at/all/**')
  rule('long', 'when: {command: make}', 'y'.repeat(8_100))
  rule('other', 'when: {command: make}\nscope:\n  harnesses: grok')
  rule('slow', 'when:\n  - command: /.+?/')
  const { code, out } = await run(at)
  expect(code).toBe(0)
  expect(out).toMatch(/dead\.md:5: warning: `command`: a call of read has no command, so the item never fires/)
  expect(out).toMatch(/gone\.md:4: warning: `path`: nothing can match \/nowhere\/at\/all\/\*\* now: there is no folder/)
  expect(out).toMatch(/long\.md:2: warning: the text takes 82\d\d bytes with its marks, more than a run's budget of 8000/)
  expect(out).toMatch(/slow\.md:4: info: `command`: no three letters of the pattern are fixed/)
})

test('--fix mends what is safe and shows a diff; with --dry-run nothing is written', async () => {
  using at = scratch()
  const before = entryText('x', 'must-know: yes\nwhen:\n  - commnd: git push').replaceAll('\n', '\r\n')
  const file = at.write('.config/contextmd/rules/a.md', before)
  const dry = await run(at, '--fix', '--dry-run')
  expect(dry.code).toBe(1)
  expect(dry.out).toContain('-must-know: yes<CR>\n')
  expect(readFileSync(file, 'utf8')).toBe(before)

  const { code, out } = await run(at, '--fix')
  expect(code).toBe(0)
  expect(out).toContain(`--- ${file}\n+++ ${file}\n`)
  expect(out).toContain('+  - command: git push\n')
  expect(readFileSync(file, 'utf8')).toBe(entryText('x', 'must-know: true\nwhen:\n  - command: git push'))
  expect((await run(at, '--fix')).out).toMatch(/^0 errors/)
  await expect(run(at, '--dry-run')).rejects.toThrow(CommandError)
})

test('a file: its own mistakes, and those of no other', async () => {
  using at = scratch()
  const bad = at.write('drafts/bad.md', entryText('x', 'title: x\nwhen:\n  - commnd: git push'))
  const good = at.write('drafts/good.md', entryText('x', 'when: {prompt: x}'))
  const { code, out } = await run(at, bad)
  expect(code).toBe(1)
  expect(out).toContain(`${bad}:4: error: \`commnd\` is not a key`)
  expect(await run(at, good)).toMatchObject({ code: 0, out: expect.stringContaining('0 errors') })
  expect((await run(at, bad, '--fix')).out).toContain('+  - command: git push')
  expect(readFileSync(bad, 'utf8')).toContain('command: git push')
  await expect(run(at, join(at.home, 'drafts', 'gone.md'))).rejects.toThrow(CommandError)
})
