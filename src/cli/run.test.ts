import { describe, expect, test } from 'vitest'
import { temporaryPaths } from '../server/with-server.fixture.ts'
import { COMMAND_NAMES } from './commands.ts'
import { run } from './run.fixture.ts'

describe('help', () => {
  test.each(['', 'help', '--help', '-h'])('"%s" lists every command with a line', async (word) => {
    const { code, out } = await run(word === '' ? [] : [word])
    expect(code).toBe(0)
    for (const name of COMMAND_NAMES) expect(out).toMatch(new RegExp(`^  ${name} +\\S.*$`, 'm'))
  })

  test.each(COMMAND_NAMES)('%s --help shows its usage, and does nothing', async (name) => {
    const { code, out, err } = await run([name, '--help'])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toContain(`contextmd ${name}`)
    expect(await run(['help', name])).toEqual({ code, out, err })
    expect(await run([name, '--port', '1', '-h'])).toEqual({ code, out, err })
  })

  test('the version is told', async () => {
    expect((await run(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})

describe('a wrong call', () => {
  test.each([
    ['lgo', 'log'],
    ['serv', 'serve'],
    ['statsu', 'status'],
    ['tokne', 'token'],
  ])('the unknown command %s gets the nearest one', async (name, meant) => {
    expect(await run([name])).toMatchObject({ code: 1, err: expect.stringContaining(`did you mean "${meant}"?`) })
  })

  test.each(['frobnicate', 'constructor', '__proto__', 'toString'])('the unknown command %s gets the way to the list', async (name) => {
    expect(await run([name])).toMatchObject({ code: 1, err: expect.stringContaining('contextmd --help') })
  })

  test.each([
    ['log', '--folow'],
    ['log', 'something'],
    ['log', '--limit', 'many'],
    ['log', '--limit', '1001'],
    ['log', '--since', 'yesterday'],
    ['off', '--for', 'ever'],
    ['off', '--for', '0m'],
    ['on', '--now'],
    ['lift'],
    ['lift', 'a', 'b'],
    ['token'],
    ['token', 'isue'],
    ['token', 'revoke'],
    ['token', 'issue', '--days', '0'],
    ['token', 'issue', '--scope', 'everything'],
  ])('%s %s %s is one line, the way to the help, and never exit code 2 (S11)', async (...argv) => {
    const { code, out, err } = await run(argv, { CONTEXTMD_DATA: temporaryPaths().data })
    expect({ code, out }).toEqual({ code: 64, out: '' })
    expect(err).toMatch(/^contextmd: [^\n]+\nSee: contextmd \w+ --help\n$/)
  })
})

test.each([['log'], ['log', '--follow'], ['health'], ['status'], ['off'], ['on'], ['lift', 'rules/x']])(
  '%s %s without a server says how to start it',
  async (...argv) => {
    const { code, out, err } = await run(argv, { CONTEXTMD_DATA: temporaryPaths().data })
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toBe('contextmd: ContextMD is not running. Start it with: contextmd serve\n')
  },
)

test.each([
  [['doctor', '--jsn'], /there is no option --jsn: did you mean --json\?/],
  [['setup', '--port=1', '--dry-rum'], /there is no option --dry-rum: did you mean --dry-run\?/],
  [['health', '--verbose'], /there is no option --verbose\n/],
])('%j: an unknown option is told with the one that was meant', async (argv, message) => {
  const { code, err } = await run(argv, { HOME: '/home/dev/nobody' })
  expect(code).toBe(64)
  expect(err).toMatch(message)
})
