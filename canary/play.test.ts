import { expect, test } from 'vitest'
import { NO_CLAIMS } from './claims.ts'
import { playRow } from './play.ts'
import { must } from './row.ts'

interface Stage {
  closed: boolean
  close(): Promise<void>
  story(): Promise<string>
  problems(): readonly string[]
  claims(): Promise<typeof NO_CLAIMS>
}

function stage(story: string, problems: readonly string[] = []): Stage {
  const own = {
    closed: false,
    problems: () => problems,
    claims: () => Promise.resolve(NO_CLAIMS),
    story: () => Promise.resolve(story),
    close: () => {
      own.closed = true
      return Promise.resolve()
    },
  }
  return own
}

test('a row that fails tells why and what the server saw, and its stage is closed', async () => {
  const own = stage('the log')
  const result = await playRow({ name: 'r', seams: [], run: async () => must(false, 'it should be so') }, async () => own)
  expect(result).toMatchObject({ passed: false, failure: 'it should be so\nthe log' })
  expect(own.closed).toBe(true)
})

test('a stage that does not open is a failure of the row, not of the canary', async () => {
  const result = await playRow({ name: 'r', seams: [], run: async () => {} }, () => Promise.reject(new Error('no port')))
  expect(result).toMatchObject({ passed: false, failure: 'no port' })
})

test('a row that does not throw has passed', async () => {
  const own = stage('')
  expect(await playRow({ name: 'r', seams: ['prompt inject'], run: async () => {} }, async () => own)).toMatchObject({
    passed: true,
    failure: null,
  })
  expect(own.closed).toBe(true)
})

test('a row that saw nothing wrong fails on trouble of the scripted model', async () => {
  const own = stage('', ['an unknown call'])
  expect(await playRow({ name: 'r', seams: [], run: async () => {} }, async () => own)).toMatchObject({
    passed: false,
    failure: 'an unknown call',
  })
})
