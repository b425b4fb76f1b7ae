import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { OTHERS, settings, paths, setup, takeBack, give, read, tokensOf, tokens } from './setup.fixture.ts'

describe('remove', () => {
  test('S10: gives back the very bytes, revokes the token, deletes scripts and backup, leaves the stores', () => {
    // One line: adding breaks it up, so only the backup can give it back.
    for (const text of [OTHERS, '{"a":1,"hooks":{"Stop":[{"hooks":[]}]}}', '', '{\r\n\t"a": 1 // x\r\n}']) {
      give(text, settings, 0o644)
      setup()
      const [token = ''] = tokensOf()
      setup('--port', '5000')
      const output = takeBack()
      expect(read()).toBe(text)
      expect(statSync(settings).mode & 0o777).toBe(0o644)
      expect(readdirSync(dirname(settings))).toEqual(['settings.json'])
      expect(existsSync(paths().hooks)).toBe(false)
      expect(tokens().check(token, 'orchestration:read')).toBe('revoked')
      expect(readdirSync(join(paths().config, 'rules'))).toHaveLength(2)
      expect(output).toContain('byte for byte')
      expect(output).toContain(paths().serving)
    }
  })

  test('settings that were not there before are deleted, and their folder if setup made it', () => {
    setup()
    expect(takeBack()).toContain('deleted')
    expect(existsSync(dirname(settings))).toBe(false)
    mkdirSync(dirname(settings))
    setup()
    takeBack()
    expect(readdirSync(dirname(settings))).toEqual([])
  })

  test('S10: settings that were changed since keep the change, and lose our parts only', () => {
    give(OTHERS)
    setup()
    writeFileSync(settings, read().replace('"opus"', '"sonnet"').replace('"allow": [', '"allow": ["Bash(ls)", '))
    const output = takeBack()
    const rule = ',\n  "permissions": {\n    "allow": ["Bash(ls)"]\n  }\n}\n'
    expect(read()).toBe(OTHERS.replace('"opus"', '"sonnet"').replace(/\n\}\n$/, rule))
    expect(output).toContain(`${settings}.before-contextmd`)
  })

  test('without a record (the data folder was deleted) our parts are found by their form', () => {
    give(OTHERS)
    setup()
    rmSync(paths().data, { recursive: true })
    takeBack()
    expect(read()).toBe(OTHERS)
  })

  test('a backup that was tampered with is not put in place', () => {
    give(OTHERS)
    setup()
    writeFileSync(`${settings}.before-contextmd`, '{"model": "other"}')
    takeBack()
    expect(read()).toBe(OTHERS)
  })

  test('a setup anew after a removal backs up what is there then', () => {
    give(OTHERS)
    setup()
    writeFileSync(settings, read().replace('"opus"', '"sonnet"'))
    takeBack()
    setup()
    takeBack()
    expect(read()).toBe(OTHERS.replace('"opus"', '"sonnet"'))
    expect(existsSync(`${settings}.before-contextmd`)).toBe(false)
  })

  test('twice, or without a setup, it finds nothing to do', () => {
    expect(takeBack()).toContain('nothing of ours')
    give(OTHERS)
    expect(takeBack()).toContain('nothing of ours')
    expect(read()).toBe(OTHERS)
  })
})
