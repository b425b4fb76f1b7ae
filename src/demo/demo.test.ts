import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openPlace } from './place.ts'
import { play, readLog } from './play.ts'
import { promises } from './promises.ts'
import { readRecording } from './recording.ts'

const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const RULES = at('examples/rules')

let folder = ''
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'contextmd-demo-test-'))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

function demo(): Promise<Ran> {
  const env = { PATH: process.env['PATH'], HOME: folder, TMPDIR: folder }
  return new Promise((resolve) => {
    execFile(process.execPath, [at('bin/contextmd.js'), 'demo'], { env }, (error, out, err) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err })
    })
  })
}

describe('contextmd demo', () => {
  test('shows a whole session and leaves nothing behind', async () => {
    const { code, out, err } = await demo()
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const lines = out.split('\n')
    const indexOf = (pattern: RegExp, from = 0): number => {
      const index = lines.findIndex((line, number) => number >= from && pattern.test(line))
      expect(index, `${pattern} from line ${from} on:\n${out}`).not.toBe(-1)
      return index
    }

    indexOf(/session starts .*house-rules .*served/)
    indexOf(/person: .*release-notes .*served/)
    indexOf(/Write src\/api\/invoices.ts .*api-errors .*served/)
    indexOf(/failed: \$ npm test .*failing-tests .*served/)
    indexOf(/Write src\/api\/invoices.ts .*api-errors .*known/)

    const heldByPointer = indexOf(/Write migrations\/.*migrations .*held/)
    const read = indexOf(/Read rules\/more\/migrations-guide.txt/, heldByPointer)
    // when the file was found to be read hangs on how fast the machine is: before the retry, or at it
    const wasRead = indexOf(/migrations .*lifted: the file was read/, read)
    indexOf(/migrations .*lifted: the call goes on/, wasRead)

    const held = indexOf(/git commit -m wip .*commit-messages .*held/)
    const shown = indexOf(/commit-messages .*shown/, held)
    const lifted = indexOf(/commit-messages .*lifted: its text was shown/, shown)
    indexOf(/commit-messages .*lifted: the call goes on/, lifted)

    const forbidden = indexOf(/git push --force .*force-push .*forbidden/)
    indexOf(/proof of .*force-push .*shown/, forbidden)

    const compacted = indexOf(/compacted .*house-rules .*served/, forbidden)
    const armed = indexOf(/commit-messages .*armed again/, compacted)
    const again = indexOf(/git commit .*commit-messages .*held/, armed)
    indexOf(/commit-messages .*lifted: the call goes on/, again)

    indexOf(/9 handed over: 9 shown, 0 hidden, 0 cut, 0 unverified/)
    expect(out).not.toContain('NOT SEEN')
    expect(lines.filter((line) => line.length > 110)).toEqual([])
    expect(out).not.toContain('\u001B')
    expect(readdirSync(folder)).toEqual([])
  })

  test('fails when something that it promises does not happen', async () => {
    const rules = join(folder, 'rules')
    cpSync(RULES, rules, { recursive: true, filter: (file) => !file.endsWith('force-push.md') })
    const recording = readRecording(at('examples/demo/session.jsonl'))
    const place = await openPlace(rules, '0.0.0')
    try {
      let events = 0
      for await (const _ of play(recording, place, new AbortController().signal)) events += 1
      const unseen = promises(await readLog(place), { events, problems: [] }).filter(({ wasSeen }) => !wasSeen)
      expect(unseen.map(({ what }) => what)).toEqual(['a call forbidden'])
    } finally {
      await place.close()
    }
  })

  test('the proof is read from the session file: without the bodies of the messages no text counts as shown', async () => {
    const recording = readRecording(at('examples/demo/session.jsonl'))
    const steps = recording.steps.map((step) => ({ ...step, records: step.records.filter(({ type }) => type !== 'api-request-blob') }))
    const place = await openPlace(RULES, '0.0.0')
    try {
      for await (const _ of play({ ...recording, steps }, place, new AbortController().signal));
      const outcomes = (await readLog(place)).flatMap(({ candidates }) => candidates.map(({ outcome }) => outcome))
      expect(outcomes).toContain('served')
      expect(outcomes).not.toContain('shown')
    } finally {
      await place.close()
    }
  })

  test('ends at once when it is told to', async () => {
    const recording = readRecording(at('examples/demo/session.jsonl'))
    const place = await openPlace(RULES, '0.0.0')
    const stop = new AbortController()
    const numbers: number[] = []
    for await (const { step } of play(recording, place, stop.signal)) {
      numbers.push(step.number)
      stop.abort()
    }
    await place.close()
    expect(numbers).toEqual([1])
  })
})
