import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { plistFile, plistText, readPlist } from './launchd.ts'

const WISH = {
  program: { node: '/usr/local/bin/node', launcher: '/Users/dev/a <b> & "c"/bin/contextmd.js' },
  args: ['serve', '--as', 'service'],
  environment: { CONTEXTMD_DATA: '/Users/dev/R&D <data>' },
  log: '/Users/dev/data/server.log',
}

const WANTED = {
  Label: 'contextmd',
  ProgramArguments: ['/usr/local/bin/node', '/Users/dev/a <b> & "c"/bin/contextmd.js', 'serve', '--as', 'service'],
  EnvironmentVariables: { CONTEXTMD_DATA: '/Users/dev/R&D <data>' },
  RunAtLoad: true,
  KeepAlive: { SuccessfulExit: false },
  ThrottleInterval: 10,
  ProcessType: 'Background',
  Umask: 63,
  StandardOutPath: '/Users/dev/data/server.log',
  StandardErrorPath: '/Users/dev/data/server.log',
}

/** Reads a property list as XML: every tag closed, nothing between them but what the form allows. */
function parsePlist(text: string): unknown {
  const tokens =
    text
      .replace(/^<\?xml[^>]*\?>\s*<!DOCTYPE[^>]*>\s*/, '')
      .replaceAll(/<!--.*?-->/gs, '')
      .match(/<[^<>]+>|[^<>]+/g) ?? []
  let at = 0
  const next = (): string => tokens[at++] ?? ''
  const skip = (): void => {
    while (tokens[at]?.trim() === '') at += 1
  }
  const must = (wanted: string): void => {
    const found = next()
    if (found !== wanted) throw new Error(`${found} where ${wanted} should be`)
  }
  const plain = (tag: string): string => {
    const content = tokens[at]?.startsWith('<') === true ? '' : next()
    must(`</${tag}>`)
    return content.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
  }
  const value = (): unknown => {
    skip()
    const tag = next()
    if (tag === '<true/>' || tag === '<false/>') return tag === '<true/>'
    if (tag === '<string>') return plain('string')
    if (tag === '<integer>') return Number(plain('integer'))
    if (tag === '<array>') return items('array', value)
    if (tag === '<dict>') {
      return Object.fromEntries(
        items('dict', () => {
          must('<key>')
          return [plain('key'), value()] as const
        }),
      )
    }
    throw new Error(`unknown tag ${tag}`)
  }
  const items = <T>(tag: string, item: () => T): T[] => {
    const all: T[] = []
    for (skip(); tokens[at] !== `</${tag}>`; skip()) all.push(item())
    must(`</${tag}>`)
    return all
  }
  skip()
  must('<plist version="1.0">')
  const root = value()
  skip()
  must('</plist>')
  skip()
  expect(tokens.slice(at)).toEqual([])
  return root
}

test('the list says what is to be run', () => expect(parsePlist(plistText(WISH))).toEqual(WANTED))

test('what it says is read back as it was meant', () => {
  expect(readPlist(plistText(WISH))).toEqual({ launcher: WISH.program.launcher, environment: WISH.environment })
  expect(readPlist(plistText({ ...WISH, environment: {} }))).toEqual({ launcher: WISH.program.launcher, environment: {} })
  expect(readPlist('<plist/>')).toEqual({ launcher: null, environment: {} })
})

test('without variables it is whole as well', () => {
  expect(parsePlist(plistText({ ...WISH, environment: {} }))).toEqual({ ...WANTED, EnvironmentVariables: {} })
})

const READ = 'import json, plistlib, sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))'
const hasPlistlib = spawnSync('python3', ['-c', 'import plistlib']).status === 0

test.skipIf(!hasPlistlib)('another reader of property lists agrees (needs python3)', () => {
  const { stdout } = spawnSync('python3', ['-c', READ], { input: plistText(WISH), encoding: 'utf8' })
  expect(JSON.parse(stdout)).toEqual(WANTED)
})

test('it is where launchd looks', () => expect(plistFile('/Users/dev')).toBe('/Users/dev/Library/LaunchAgents/contextmd.plist'))
