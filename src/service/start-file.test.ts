import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryPaths } from '../server/with-server.fixture.ts'
import { isPassing, ownProgram } from './program.ts'
import { letHooksStart, readStartFile, retireStartFile, startProblems } from './start-file.ts'

const PROGRAM = { node: process.execPath, launcher: '/home/dev/node_modules/contextmd/bin/contextmd.js' }

function setUp() {
  const paths = temporaryPaths()
  mkdirSync(paths.hooks, { recursive: true })
  writeFileSync(join(paths.hooks, 'codex.header'), 'x')
  const file = join(paths.hooks, 'server.start')
  const allow = (wanted: boolean | null, env: NodeJS.ProcessEnv = {}, program = PROGRAM) => letHooksStart(paths, { wanted, env, program })
  return { paths, file, allow, text: () => readFileSync(file, 'utf8') }
}

test('it holds what starts the server, and of the environment what a server needs', () => {
  const { paths, file, allow, text } = setUp()
  const env = { HOME: '/home/dev', XDG_DATA_HOME: '/home/dev/x', OPENAI_API_KEY: 'secret', PATH: '/evil', HTTPS_PROXY: 'p', LANG: 'a\nb' }
  expect(allow(null, env)).toBe('starts')
  expect(text()).toBe(`${PROGRAM.node}\n${PROGRAM.launcher}\nHOME=/home/dev\nXDG_DATA_HOME=/home/dev/x\nCONTEXTMD_DATA=${paths.data}\n`)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readStartFile(paths)).toEqual(PROGRAM)
})

test('a wish holds until another one is said', () => {
  const { paths, allow, text } = setUp()
  expect([allow(false), text(), allow(null), text(), readStartFile(paths)]).toEqual(['leaves', '', 'leaves', '', null])
  expect([allow(true), allow(null)]).toEqual(['starts', 'starts'])
  expect(text()).not.toBe('')
})

test('S16: from a cache that is emptied some day nothing is started', () => {
  for (const folder of ['/home/dev/.npm/_npx/0f3e/node_modules', '/home/dev/.cache/pnpm/dlx-4711/node_modules', '/home/dev/.cache/dlx/x']) {
    const { allow, file } = setUp()
    const launcher = `${folder}/contextmd/bin/contextmd.js`
    expect([allow(null, {}, { ...PROGRAM, launcher }), existsSync(file)]).toEqual(['passing', false])
    // it was no wish of the person
    expect(allow(null)).toBe('starts')
  }
  expect(isPassing(ownProgram())).toBe(false)
})

test('S16: a program that is gone is a problem with its cure', () => {
  const { paths, allow } = setUp()
  expect(startProblems(paths)).toEqual([])
  allow(null)
  expect(startProblems(paths)).toMatchObject([{ code: 'start_program_missing', message: expect.stringContaining(PROGRAM.launcher) }])
  allow(null, {}, ownProgram())
  expect(startProblems(paths)).toEqual([])
})

test('without a harness that is set up nothing is written, and after the last one nothing is left', () => {
  const { hooks, data } = temporaryPaths()
  expect(letHooksStart({ hooks, data }, { wanted: null, env: {} })).toBe('starts')
  expect(statSync(hooks, { throwIfNoEntry: false })).toBeUndefined()
  mkdirSync(hooks, { recursive: true })
  writeFileSync(join(hooks, 'server.start'), 'x')
  retireStartFile({ hooks })
  expect(statSync(hooks, { throwIfNoEntry: false })).toBeUndefined()
  retireStartFile({ hooks })

  const { paths, allow, text } = setUp()
  allow(null)
  retireStartFile(paths)
  expect(text()).not.toBe('')
})
