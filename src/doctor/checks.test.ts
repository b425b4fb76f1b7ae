import { describe, expect, test } from 'vitest'
import { checkAddress } from './check-address.ts'
import { checkEnvironment, checkProxy, proxiesIn } from './check-environment.ts'
import { checkHooks } from './check-hooks.ts'
import { checkProbes } from './check-probe.ts'
import { checkMissed, checkOthers, checkReadable } from './check-rest.ts'
import { checkTokens } from './check-token.ts'
import { checkTrust } from './check-trust.ts'
import { checkVersion } from './check-version.ts'
import type { ProbeOutcome, SetupFacts, TrustFacts } from './facts.ts'
import { factsOf, SETUP } from './facts.fixture.ts'
import { isFixable, type Finding } from './finding.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
const told = (finding: Finding | undefined) => [finding?.level, finding?.what] as const

describe('version', () => {
  test.each([
    ['proven', {}, 'ok', '2.1.332, proven by the canary'],
    ['newer', { version: '2.2.0' }, 'warn', '2.2.0: not proven on this version (proven: 2.1.332)'],
    ['older', { version: '2.1.331' }, 'warn', '2.1.331: not proven on this version'],
    ['a pre-release', { version: '2.1.332-rc.1' }, 'warn', 'not proven on this version'],
    ['untold', { version: null }, 'warn', 'tells no version'],
    ['no program', { program: null, version: null }, 'note', 'was not found on the PATH'],
  ] as const)('%s', (_name, more, level, what) => {
    expect(told(checkVersion(factsOf('claude-code', more)))).toEqual([level, expect.stringContaining(what)])
  })
})

describe('hooks', () => {
  const check = (setup: Partial<SetupFacts>) => checkHooks(factsOf('grok', {}, setup))

  test.each([
    ['whole', {}, 'ok', 'as setup wrote them', false],
    ['S16: the scripts are gone', { stale: ['scripts'] }, 'bad', 'missing or changed', true],
    ['changed', { stale: ['hooks'] }, 'warn', 'not as setup would write them now', true],
    ['S13: recorded, and gone', { isThere: false }, 'bad', 'our hooks are gone from', true],
    ['the file is broken', { isThere: false, error: 'x.json:3: not JSON' }, 'bad', 'x.json:3: not JSON', false],
    ['never set up', { isThere: false, isRecorded: false }, 'note', 'not set up', false],
  ] as const)('%s', (_name, setup, level, what, fixable) => {
    const [finding] = check(setup)
    expect(told(finding)).toEqual([level, expect.stringContaining(what)])
    expect(finding !== undefined && isFixable(finding)).toBe(fixable)
    if (level !== 'ok') expect(finding?.cure).not.toBe('')
  })

  test('S13: what keeps hooks from running is told', () => {
    expect(check({ obstacles: ['Hooks are switched off.'] }).map(told)).toContainEqual(['warn', 'Hooks are switched off.'])
  })

  test('a project is mended in its folder', () => {
    const [finding] = check({ way: 'project', project: '/home/dev/shop', stale: ['hooks'] })
    expect(finding?.cure).toBe('contextmd setup grok --scope project, in /home/dev/shop')
    expect(finding?.fix).toEqual({ kind: 'setup', harness: 'grok', scope: 'project', project: '/home/dev/shop', port: null })
  })
})

describe('S17: set up twice', () => {
  const project: SetupFacts = { ...SETUP, way: 'project', project: '/home/dev/shop', file: '/home/dev/shop/.agent/settings.json' }
  const plugin: SetupFacts = { ...SETUP, way: 'plugin', file: '/home/dev/plugin/hooks.json' }

  test.each([
    ['claude-code', [SETUP, project], 'note', 'run once'],
    ['claude-code', [SETUP, { ...project, port: 5000 }], 'warn', 'different ports'],
    ['claude-code', [SETUP, plugin], 'warn', 'every hook runs twice'],
    ['codex', [SETUP, project], 'warn', 'every hook runs twice'],
    ['grok', [SETUP, project], 'note', 'run once'],
  ] as const)('%s %#', (harness, setups, level, what) => {
    const twice = checkHooks(factsOf(harness, { setups })).filter(({ id }) => id === 'twice')
    expect(twice.map(told)).toEqual([[level, expect.stringContaining(what)]])
  })

  test('one that is only recorded is not there twice', () => {
    const setups = [SETUP, { ...project, isThere: false, isRecorded: false }]
    expect(checkHooks(factsOf('codex', { setups })).map(({ id }) => id)).toEqual(['hooks'])
  })
})

describe('T15: token', () => {
  test.each([
    [{ state: 'ok', expiresAt: 100 * DAY_MS }, 'ok', 'good until 1970-04-11'],
    [{ state: 'ok', expiresAt: 8 * DAY_MS }, 'ok', 'good until'],
    [{ state: 'ok', expiresAt: 7 * DAY_MS }, 'warn', 'runs out in 7 days'],
    [{ state: 'ok', expiresAt: 1 }, 'warn', 'runs out in 1 day;'],
    [{ state: 'expired', expiresAt: 0 }, 'bad', 'has run out: nothing is served'],
    [{ state: 'revoked', expiresAt: null }, 'bad', 'was revoked'],
    [{ state: 'unknown', expiresAt: null }, 'bad', 'is not known here'],
    [{ state: 'none' }, 'bad', 'have no token'],
  ] as const)('%j', (token, level, what) => {
    const [finding] = checkTokens(factsOf('codex', {}, { token }), 0)
    expect(told(finding)).toEqual([level, expect.stringContaining(what)])
    expect(finding?.fix?.kind).toBe(level === 'ok' ? undefined : 'setup')
  })

  test('of hooks that are not there nothing is said', () => {
    expect(checkTokens(factsOf('codex', {}, { isThere: false, token: { state: 'none' } }), 0)).toEqual([])
  })
})

test.each<readonly [TrustFacts, string, string]>([
  [{ state: 'trusted' }, 'ok', 'trusts our hooks'],
  [{ state: 'untrusted', hooks: 11 }, 'bad', 'does not trust 11 of our hooks and skips them without a word'],
  [{ state: 'off', hooks: 1 }, 'warn', 'switched off'],
  [{ state: 'unseen' }, 'bad', 'does not see our hooks'],
  [{ state: 'unknown', why: 'it ended' }, 'warn', 'could not be learned: it ended'],
])('S13: trust %j', (trust, level, what) => {
  expect(checkTrust(factsOf('codex', { trust })).map(told)).toEqual([[level, expect.stringContaining(what)]])
})

test.each<readonly [ProbeOutcome, string, string]>([
  [{ state: 'answered', ms: 8.4 }, 'ok', 'came back in 8 ms'],
  [{ state: 'silent' }, 'bad', 'got no answer'],
  [{ state: 'garbled' }, 'bad', 'prints something else'],
  [{ state: 'misunderstood', text: 'other' }, 'bad', 'in another way: other'],
  [{ state: 'late', limitMs: 1_000 }, 'bad', 'no answer in 1000 ms'],
  [{ state: 'failed', exitCode: 127, why: 'not found' }, 'bad', 'ended with code 127: not found'],
  [{ state: 'failed', exitCode: null, why: '' }, 'bad', 'ended with a signal'],
  [{ state: 'refused', status: 401, why: 'The token has run out.' }, 'bad', 'refused'],
  [{ state: 'skipped', why: 'so' }, 'note', 'no test moment was sent'],
])('test moment %j', (outcome, level, what) => {
  const probes = [{ way: 'command hook', events: ['PreToolUse'], outcome }]
  expect(checkProbes(factsOf('grok', { probes })).map(told)).toEqual([[level, expect.stringContaining(what)]])
})

test('S11: a hook that ends with 2 is told as a deny of every call', () => {
  const probes = [{ way: 'command hook', events: ['PreToolUse'], outcome: { state: 'failed', exitCode: 2, why: '' } }] as const
  expect(checkProbes(factsOf('grok', { probes }))[0]?.what).toContain('takes that for a deny of every call')
})

describe('environment', () => {
  const usual = { client: 'curl', proxies: [], isOff: false } as const

  test.each([
    ['curl', 'ok'],
    ['wget', 'ok'],
    ['node', 'note'],
    [null, 'bad'],
  ] as const)('S6, S7: the script posts with %s', (client, level) => {
    expect(checkEnvironment({ ...usual, client }, [factsOf('grok')]).map((finding) => finding.level)).toEqual([level])
  })

  test('the plugin of OpenCode needs none of them', () => {
    expect(checkEnvironment({ ...usual, client: null }, [factsOf('opencode')])).toEqual([])
  })

  test('CONTEXTMD_OFF is told', () => {
    expect(checkEnvironment({ ...usual, isOff: true }, []).map(told)).toEqual([['warn', expect.stringContaining('CONTEXTMD_OFF is set')]])
  })

  test('a proxy matters where the harness itself posts', () => {
    const proxied = { ...usual, proxies: ['HTTP_PROXY'] }
    expect(checkProxy(factsOf('claude-code'), proxied).map(told)).toEqual([['warn', expect.stringContaining('HTTP_PROXY is set')]])
    expect(checkProxy(factsOf('claude-code', {}, { isFixed: false }), proxied)).toEqual([])
    expect(checkProxy(factsOf('opencode'), proxied)).toEqual([])
  })

  test.each([
    [{}, []],
    [{ HTTP_PROXY: 'http://proxy:1' }, ['HTTP_PROXY']],
    [{ http_proxy: 'http://proxy:1', ALL_PROXY: 'socks://proxy:1' }, ['http_proxy', 'ALL_PROXY']],
    [{ HTTP_PROXY: 'http://proxy:1', NO_PROXY: 'localhost, 127.0.0.1' }, []],
    [{ HTTP_PROXY: 'http://proxy:1', no_proxy: '*' }, []],
    [{ HTTP_PROXY: 'http://proxy:1', NO_PROXY: 'localhost' }, ['HTTP_PROXY']],
    [{ HTTP_PROXY: '', HTTPS_PROXY: 'http://proxy:1' }, []],
  ])('proxies in %j', (env, proxies) => {
    expect(proxiesIn(env)).toEqual(proxies)
  })
})

test('the hooks post to another port than the server has', () => {
  const [finding] = checkAddress(factsOf('claude-code'), 5000)
  expect(told(finding)).toEqual(['bad', expect.stringContaining('post to port 4517, and the server is at port 5000')])
  expect(finding?.fix).toMatchObject({ kind: 'setup', port: 5000 })
  // these look where the server is
  expect(checkAddress(factsOf('claude-code', {}, { isFixed: false }), 5000)).toEqual([])
  expect(checkAddress(factsOf('claude-code'), null)).toEqual([])
})

test('S8: missed moments by cause, with what to do', () => {
  expect(checkMissed(factsOf('codex'), 7).map(told)).toEqual([['ok', expect.stringContaining('no moment was missed')]])
  const findings = checkMissed(factsOf('codex', { missed: { 'timed-out': 3, refused: 1, cancelled: 0 } }), 7)
  expect(findings.map(told)).toEqual([
    ['warn', '3 moments passed without us in 7 days (timed-out)'],
    ['warn', '1 moment passed without us in 7 days (refused)'],
  ])
  for (const { cure } of findings) expect(cure).not.toBe('')
  expect(checkMissed(factsOf('codex', { missed: null }), 7)).toEqual([])
})

test('G12: what others do in a collision is told for each harness', () => {
  for (const harness of ['claude-code', 'codex', 'grok', 'opencode'] as const) {
    expect(checkOthers(factsOf(harness))).toEqual([])
    const others = [{ file: '/home/dev/guard.json', count: 2 }]
    expect(checkOthers(factsOf(harness, { others })).map(told)).toEqual([['note', expect.stringContaining('2 in /home/dev/guard.json')]])
  }
})

test('G13: what keeps the agent from reading is told', () => {
  expect(checkReadable(factsOf('claude-code')).map(({ level }) => level)).toEqual(['ok'])
  expect(checkReadable(factsOf('claude-code', { unreadable: ['"Read" is denied'] })).map(told)).toEqual([['warn', '"Read" is denied']])
})
