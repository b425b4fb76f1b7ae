import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addOurs, takeOurs } from './edit.ts'
import { writtenWithoutRecord } from '../harness/claude-code/install.ts'
import { EVENTS, type HookChoice, hooksFor } from '../harness/claude-code/install-hooks.ts'
import { isOurHook, tokenIn } from './hook.ts'
import { ourHooks } from './placed-hooks.ts'
import { hooksIn, looseLine, readSettings } from './settings-text.ts'

const CHOICE: HookChoice = {
  transport: 'http',
  port: 4517,
  token: 'cmd_t',
  hooksFolder: '/home/dev/.local/share/contextmd/hooks',
  seconds: 1,
}
const RULES = ['Read(//home/dev/.config/contextmd/rules/**)', 'Read(//home/dev/.local/share/contextmd/notes/**)']
const WANTED = { hooks: hooksFor(CHOICE), rules: RULES }

function add(text: string, wanted = WANTED, before: Parameters<typeof addOurs>[3] = null) {
  return addOurs(text, 'settings.json', wanted, before)
}

/** True if `part` is what is left of `whole` when some characters are taken out. */
function isSubsequence(part: string, whole: string): boolean {
  let at = -1
  return [...part].every((character) => (at = whole.indexOf(character, at + 1)) !== -1)
}

function lines(...parts: string[]): string {
  return parts.join('\n')
}

const SETTINGS = {
  'two spaces, hooks of others': lines(
    '{',
    '  "model": "opus", // the big one',
    '  "hooks": {',
    '    // keep this first',
    '    "PreToolUse": [',
    '      { "matcher": "Bash", "hooks": [{ "type": "command", "command": "./guard.sh" }] }',
    '    ],',
    '    "Notification": [{"hooks":[{"type":"command","command":"say done"}]}]',
    '  },',
    '  "zeta": [1,2,  3],',
    '  "permissions": {',
    '    "allow": [',
    '      "Bash(ls)"',
    '    ],',
    '    "deny": ["Read(.env)"]',
    '  }',
    '}',
    '',
  ),
  tabs: '{\n\t"a": {\n\t\t"b": 1\n\t}\n}\n',
  'four spaces, no newline at the end': '{\n    "a": {\n        "b": 1\n    }\n}',
  'a trailing comma': '{\n  "a": 1, // one\n}\n',
  'a comment before the end': '{\n  "a": 1\n  // nothing more\n}\n',
  'lists on one line':
    '{\n  "hooks": {\n    "Stop": [{ "hooks": [] }],\n    "PreToolUse": [ {"hooks": []} ]\n  },\n  "permissions": { "allow": ["a"] }\n}\n',
  'an empty object': '{}',
  CRLF: '{\r\n  "a": 1, // why\r\n  "b": [\r\n    1\r\n  ]\r\n}\r\n',
  'a byte order mark': '\uFEFF{\n  "a": 1\n}\n',
  'escaped names and umlauts': '{\n  "a\\u0062": "\\/ü",\n  "größe": "x"\n}\n',
  'empty lists of the same names': '{\n  "hooks": {\n    "Stop": []\n  },\n  "permissions": {\n    "allow": []\n  }\n}\n',
}

describe.each(Object.entries(SETTINGS))('settings with %s', (_name, text) => {
  test('S10: adding takes no character away, and keeps the line ends', () => {
    const after = add(text).text
    expect(isSubsequence(text.replaceAll(/[\s,]/g, ''), after), after).toBe(true)
    expect(after.includes('\r\n')).toBe(text.includes('\r\n'))
    expect(/(?<!\r)\n/.test(after)).toBe(!text.includes('\r\n'))
    expect(after.endsWith('\n')).toBe(text.endsWith('\n'))
  })

  test('adding twice changes nothing, with a record and without', () => {
    const once = add(text)
    expect(add(once.text, WANTED, once.written)).toEqual(once)
    expect(add(once.text, WANTED, writtenWithoutRecord(RULES)).text).toBe(once.text)
  })

  test('S10: taking out gives back the same bytes', () => {
    const { text: after, written } = add(text)
    expect(takeOurs(after, 'settings.json', written)).toBe(text)
  })

  test('changing port and transport changes our hooks in place', () => {
    const first = add(text)
    const other = { hooks: hooksFor({ ...CHOICE, transport: 'command', port: 9 }), rules: RULES }
    const second = add(first.text, other, first.written)
    const ours = ourHooks(readSettings(second.text, '')).map(({ event, hook }) => [event, hook] as const)
    expect(ours).toHaveLength(other.hooks.size)
    expect(Object.fromEntries(ours)).toEqual(Object.fromEntries(other.hooks))
    expect(second.text).toBe(add(text, other).text)
    expect(takeOurs(second.text, 'settings.json', second.written)).toBe(text)
  })
})

test('S14: session start is posted by a command, everything else by http', () => {
  for (const [event, hook] of WANTED.hooks) expect(hook.type, event).toBe(event === 'SessionStart' ? 'command' : 'http')
})

test('X5: no hook on PreCompact and PostCompact, and one that is there of ours is taken away', () => {
  expect([...WANTED.hooks.keys()]).not.toContain('PreCompact')
  expect([...WANTED.hooks.keys()]).not.toContain('PostCompact')
  const others = { type: 'command', command: 'backup' }
  const old = JSON.stringify({ hooks: { PreCompact: [{ hooks: [others, WANTED.hooks.get('Stop')] }] } }, null, 2)
  expect(readSettings(add(old).text, '')['hooks']).toMatchObject({ PreCompact: [{ hooks: [others] }] })
})

test('S11 S16: every command ends so that no exit code of it can be a deny', () => {
  for (const hook of hooksFor({ ...CHOICE, transport: 'command' }).values()) {
    expect(hook.type === 'command' && hook.command.endsWith(' || exit 0')).toBe(true)
  }
})

test('S17: address and command are the same wherever they are written, so that the harness runs them once', () => {
  const user = hooksFor(CHOICE)
  const project = hooksFor({ ...CHOICE, token: 'cmd_other' })
  for (const event of EVENTS) {
    const [one, two] = [user.get(event), project.get(event)]
    expect(one?.type === 'http' ? one.url : one?.command).toBe(two?.type === 'http' ? two.url : two?.command)
  }
})

test('a hook of ours that was moved into a group of others is left there, and taken out of it alone', () => {
  const { text, written } = add('{}')
  const value = JSON.parse(text) as { hooks: Record<string, { matcher?: string; hooks: unknown[] }[]> } // What add() has just written.
  const others = { type: 'command', command: 'mine' }
  value.hooks['Stop'] = [{ matcher: 'x', hooks: [others, ...(value.hooks['Stop']?.[0]?.hooks ?? [])] }]
  const moved = JSON.stringify(value, null, 2)
  expect(add(moved, WANTED, written).text).toBe(moved)
  expect(JSON.parse(takeOurs(moved, '', written))).toEqual({ hooks: { Stop: [{ matcher: 'x', hooks: [others] }] } })
})

test('a copy of a hook of ours is removed, a key with a comment in it is kept', () => {
  const { text, written } = add('{}')
  const twice = text.replace('"Stop": [', `"Stop": [ { "hooks": [${JSON.stringify(WANTED.hooks.get('Stop'))}] },`)
  expect(hooksIn(readSettings(add(twice, WANTED, written).text, '')).filter(isOurHook)).toHaveLength(EVENTS.length)
  expect(takeOurs(text.replace('"Stop": [', '"Stop": [ // mine'), '', written)).toContain('// mine')
})

test('a permission rule that was there before is the person’s', () => {
  const text = JSON.stringify({ permissions: { allow: [RULES[0]] } }, null, 2)
  const { text: after, written } = add(text)
  expect(written.rules).toEqual([RULES[1]])
  expect(takeOurs(after, '', written)).toBe(text)
})

test('a rule for a store that is gone goes with the next setup', () => {
  const { text, written } = add('{}')
  const second = add(text, { ...WANTED, rules: ['Read(//other/**)'] }, written)
  expect(readSettings(second.text, '')['permissions']).toEqual({ allow: ['Read(//other/**)'] })
  expect(second.written.rules).toEqual(['Read(//other/**)'])
})

describe('settings that can’t be edited safely are refused by name', () => {
  const CASES: readonly [string, string, object][] = [
    ['hooks of another type', '{"hooks": "none"}', { code: 'not_an_object' }],
    ['a list where an event should be', '{"hooks": {"Stop": {}}}', { code: 'not_an_object' }],
    ['rules of another type', '{"permissions": {"allow": "x"}}', { code: 'not_an_object' }],
    ['a key twice', '{"hooks": {}, "hooks": {"Stop": []}}', { code: 'key_twice' }],
    ['a key twice, one of them escaped', '{"hooks": {}, "h\\u006foks": {}}', { code: 'key_twice' }],
  ]
  test.each(CASES)('%s', (_name, text, error) => {
    expect(() => add(text)).toThrow(expect.objectContaining(error))
  })
})

describe('the line of a mistake is named', () => {
  const CASES: readonly [string, string, number][] = [
    ['a missing colon', '{\n  "a": 1,\n  "b" 2\n}', 3],
    ['a missing comma', '{\n  "a": 1\n  "b": 2\n}', 3],
    ['a missing end', '{\n  "a": {\n    "b": 2\n}\n\n', 4],
    ['single quotes', "{\n  'a': 1\n}", 2],
    ['a mistake after comments and trailing commas', '{\n  /* a\n  b */ "a": [1,], // c\n  "b": [1,\n  ],\n  oops\n}', 6],
    ['a comment that does not end', '{\n  "a": 1 /* \n}', 2],
    ['a list', '[\n]', 1],
  ]
  test.each(CASES)('%s', (_name, text, line) => {
    expect(() => readSettings(text, 'settings.json')).toThrow(
      expect.objectContaining({ line, message: expect.stringContaining(`settings.json:${line}: `) }),
    )
  })
})

test('what looks like a comment inside a string is none', () => {
  expect(readSettings('{"a": "http://x/*y*/", /* c */ "b": "\\"// ,}", "c": [1 , /* , */ ],}', '')).toEqual({
    a: 'http://x/*y*/',
    b: '"// ,}',
    c: [1],
  })
})

test('S13: finds the first comment or trailing comma, which the harness does not take', () => {
  expect(looseLine('{\n  "a": 1,\n  // c\n  "b": 2\n}')).toBe(3)
  expect(looseLine('{\n  "a": [1,\n  ]}')).toBe(3)
  expect(looseLine('\uFEFF{"a": "// x"}\n')).toBeNull()
  expect(looseLine('')).toBeNull()
})

test('a bracket inside a comment ends no list', () => {
  expect(readSettings('{"a": [1, // ]\n2, /* } */ 3]}', '')).toEqual({ a: [1, 2, 3] })
})

test('the message of a mistake holds nothing of the settings', () => {
  expect(() => readSettings('{\n  "apiKey": "s3cret" oops\n}', 'f')).toThrow(/^(?!.*s3cret)/s)
})

test('tells ours from others', () => {
  expect([...WANTED.hooks.values()].every(isOurHook)).toBe(true)
  expect(tokenIn(WANTED.hooks.get('Stop'))).toBe('cmd_t')
  expect(tokenIn(WANTED.hooks.get('SessionStart'))).toBeNull()
  for (const other of [
    null,
    'contextmd-hook.sh',
    { type: 'command', command: 'echo contextmd-hook.sh.bak' },
    { type: 'command', command: 'curl http://127.0.0.1:4517/contextmd/v1/moment?harness=codex' },
    { type: 'http', url: 'http://127.0.0.1:4517/other' },
  ]) {
    expect(isOurHook(other), JSON.stringify(other)).toBe(false)
  }
})

test('S10: whatever the settings are, others’ values and their order stay, and taking out gives the bytes back', () => {
  const name = fc.oneof(fc.constantFrom('hooks', 'permissions', 'model', 'env'), fc.string())
  const others = fc.record({ type: fc.constant('command'), command: fc.string() })
  const groups = fc.array(fc.record({ matcher: fc.string(), hooks: fc.array(others) }), { maxLength: 3 })
  const settings = fc.record(
    {
      hooks: fc.dictionary(fc.constantFrom(...EVENTS, 'PreCompact', 'Notification'), groups, { noNullPrototype: true }),
      permissions: fc.record({ allow: fc.array(fc.string()), deny: fc.array(fc.string()) }, { requiredKeys: [], noNullPrototype: true }),
      other: fc.dictionary(name, fc.jsonValue(), { noNullPrototype: true }),
    },
    { requiredKeys: [], noNullPrototype: true },
  )
  fc.assert(
    fc.property(settings, fc.constantFrom(2, 3, 4, '\t'), fc.constantFrom('\n', '\r\n'), (value, indent, newline) => {
      const text = JSON.stringify(value, null, indent).replaceAll('\n', newline)
      const { text: after, written } = add(text)
      expect(takeOurs(after, '', written)).toBe(text)
      expect(add(after, WANTED, written).text).toBe(after)
      expect(JSON.parse(after)).toMatchObject(JSON.parse(JSON.stringify(value.other === undefined ? {} : { other: value.other })))
    }),
    { numRuns: 40 },
  )
})
