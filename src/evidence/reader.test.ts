import {
  appendFileSync,
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  chmodSync,
} from 'node:fs'
import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Fact } from '../core/fact.ts'
import { id, type ContextId } from '../core/id.ts'
import type { Watch } from '../core/watch.ts'
import { claudeCodeHarness } from '../harness/claude-code/claude-code.ts'
import * as s from '../harness/claude-code/session.fixture.ts'
import { openEvidence, type Evidence, type Look } from './reader.ts'
import { FROM_END } from './records-file.ts'

const { records } = claudeCodeHarness({ readsIn: () => [] })
const CONTEXT = id<ContextId>('claude-code/s')
/** Far more than any of these looks takes. */
const PLENTY_MS = 60_000

let folder: string
let path: string
let evidence: Evidence
let clock = 0

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'contextmd-evidence-'))
  mkdirSync(join(folder, 'projects', '-home-dev-project'), { recursive: true })
  path = join(folder, 'projects', '-home-dev-project', 's.jsonl')
  clock = 0
  evidence = openEvidence({ now: () => clock })
})

afterEach(async () => {
  await evidence.close()
  rmSync(folder, { recursive: true })
})

const TEXT = 'Short subject lines.'
const claim = s.claimOf('a.1', TEXT, { moment: 'prompt', event: 'UserPromptSubmit' })
const watch = s.watchOf({ claims: [claim] })
const injected = s.context('UserPromptSubmit', 'hook-1', s.marked('a.1', TEXT))
const answer = s.reply('r1', s.says('ok'))
const other = s.reply('r0', s.says('before'))
const fact = (answered: boolean) => ({ kind: 'claim', claim: 'a.1', found: 'whole', answered })

const look = (more: Partial<Look> = {}) =>
  evidence.look({ context: CONTEXT, path, from: 0, watch, records, deadlineMs: PLENTY_MS, ...more })
const write = (...lines: readonly string[]) => writeFileSync(path, lines.map((line) => `${line}\n`).join(''))
const append = (...lines: readonly string[]) => appendFileSync(path, lines.map((line) => `${line}\n`).join(''))

describe('looks', () => {
  test('what is there is read, and what is added later', async () => {
    write(injected)
    expect(await look()).toEqual({ facts: [fact(false)], reachedEnd: true, missing: false })
    append(answer)
    expect(await look()).toEqual({ facts: [fact(true)], reachedEnd: true, missing: false })
  })

  test('a half-written last line waits for its end', async () => {
    const [head, tail] = [answer.slice(0, 40), answer.slice(40)]
    write(injected)
    appendFileSync(path, head)
    expect((await look()).facts).toEqual([fact(false)])
    appendFileSync(path, tail)
    expect((await look()).facts).toEqual([fact(false)])
    appendFileSync(path, '\n')
    expect((await look()).facts).toEqual([fact(true)])
  })

  test('G18: a file that is missing is told, and read when it comes late', async () => {
    expect(await look()).toEqual({ facts: [], reachedEnd: false, missing: true })
    write(injected, answer)
    expect(await look()).toEqual({ facts: [fact(true)], reachedEnd: true, missing: false })
  })

  test('the scan begins at the line in which the offset is', async () => {
    write(other, injected, answer)
    const before = Buffer.byteLength(`${other}\n`)
    expect((await look({ from: before })).facts).toEqual([fact(true)])
    // in the middle of the injected line: it belongs to what is read
    expect((await look({ context: id<ContextId>('b'), from: before + 20 })).facts).toEqual([fact(true)])
    expect((await look({ context: id<ContextId>('c'), from: before + injected.length + 1 })).facts).toEqual([])
  })

  test('an earlier offset than before: all from there is scanned', async () => {
    write(injected, answer)
    expect(await look({ from: FROM_END })).toEqual({ facts: [], reachedEnd: true, missing: false })
    expect((await look({ from: 0 })).facts).toEqual([fact(true)])
    expect((await look({ from: FROM_END })).facts).toEqual([fact(true)])
  })

  test('from the end: only what comes', async () => {
    write(injected)
    await look({ from: FROM_END })
    append(answer, s.boundary('c'))
    expect((await look({ from: FROM_END })).facts).toEqual([{ kind: 'compacted', mark: 'c' }])
  })

  test('a file that became shorter is scanned anew', async () => {
    write(other, other, other, injected)
    expect((await look()).facts).toEqual([fact(false)])
    truncateSync(path, 0)
    write(injected, answer)
    expect((await look({ from: 10_000 })).facts).toEqual([fact(true)])
  })

  test('another file under the same name is scanned anew', async () => {
    write(injected)
    expect((await look()).facts).toEqual([fact(false)])
    const next = `${path}.next`
    writeFileSync(next, `${other}\n${other}\n${injected}\n${answer}\n`)
    renameSync(next, path)
    expect((await look()).facts).toEqual([fact(true)])
  })

  test('two at once read the file once', async () => {
    write(...Array.from({ length: 2_000 }, () => other), injected, answer)
    let taken = 0
    const counting = {
      ...records,
      scan: () => {
        const scan = records.scan()
        return {
          facts: (wanted: Watch) => scan.facts(wanted),
          take: (line: string, wanted: Watch) => ((taken += 1), scan.take(line, wanted)),
        }
      },
    }
    const looks = await Promise.all([look({ records: counting }), look({ records: counting }), look({ records: counting })])
    for (const { facts, reachedEnd } of looks) expect({ facts, reachedEnd }).toEqual({ facts: [fact(true)], reachedEnd: true })
    expect(taken).toBe(2_002)
  })
})

describe('files that are not opened', () => {
  const refused = { facts: [], reachedEnd: false, missing: true }

  test('a path where the harness keeps no records', async () => {
    write(injected, answer)
    for (const named of ['/etc/passwd', join(folder, 'projects', 's.jsonl'), `${folder}/projects/x/../x/s.jsonl`, 'projects/x/s.jsonl']) {
      expect(await look({ path: named })).toEqual(refused)
    }
  })

  test('a symlink, a folder, a pipe, a file without read permission', async () => {
    const real = join(folder, 'secret')
    writeFileSync(real, `${injected}\n${answer}\n`)
    symlinkSync(real, path)
    expect(await look()).toEqual(refused)
    rmSync(path)
    mkdirSync(path)
    expect(await look({ context: id<ContextId>('b') })).toEqual(refused)
    rmSync(path, { recursive: true })
    execFileSync('mkfifo', [path])
    expect(await look({ context: id<ContextId>('c') })).toEqual(refused)
  })

  test.skipIf(process.getuid?.() === 0)('a file without read permission', async () => {
    write(injected)
    chmodSync(path, 0)
    expect(await look()).toEqual(refused)
  })
})

describe('bounds', () => {
  /** About 100 MB: requests and results as the harness writes them, with the claim near the end. */
  async function writeLong(): Promise<number> {
    const shape = JSON.stringify({ type: 'api-request-shape', system: 'x'.repeat(90_000) })
    const block = `${[s.reply('r0', s.bash('t', 'ls')), s.result('t', 'y'.repeat(9_000)), shape].join('\n')}\n`
    const stream = createWriteStream(path)
    for (let n = 0; n < 1_000; n += 1) if (!stream.write(block)) await once(stream, 'drain')
    await new Promise((resolve) => stream.end(`${injected}\n${answer}\n`, () => resolve(null)))
    return block.length * 1_000
  }

  test('100 MB: read in slices that leave the event loop free; from an offset only the rest', async () => {
    const size = await writeLong()
    let turns = 0
    let isReading = true
    const turn = () => {
      turns += 1
      if (isReading) setImmediate(turn)
    }
    setImmediate(turn)
    expect(await look()).toEqual({ facts: [fact(true)], reachedEnd: true, missing: false })
    isReading = false
    expect(turns).toBeGreaterThan(size / (256 * 1024) / 2)
    expect((await look({ context: id<ContextId>('b'), from: size })).facts).toEqual([fact(true)])
  }, 30_000)

  test('a look ends at its deadline, and the reading goes on', async () => {
    write(...Array.from({ length: 20_000 }, () => other), injected, answer)
    const early = await look({ deadlineMs: 0, watch: s.watchOf({ claims: [claim], wantsHeld: true }) })
    expect(early).toEqual({ facts: [], reachedEnd: false, missing: false })
    await evidence.drain()
    expect(await look()).toEqual({ facts: [fact(true)], reachedEnd: true, missing: false })
  })

  test('law 9: what the latest request holds, and what is gone from it, is told at the end of the file only', async () => {
    const all: readonly Fact[] = [
      { kind: 'held', claims: [] },
      { kind: 'gone', claims: [] },
      { kind: 'compacted', mark: 'c' },
    ]
    const telling = { ...records, scan: () => ({ take: () => {}, facts: () => all }) }
    write(other)
    expect((await look({ records: telling })).facts).toEqual(all)
    append(...Array.from({ length: 20_000 }, () => other))
    const early = await look({ records: telling, deadlineMs: 0 })
    expect(early).toEqual({ facts: [{ kind: 'compacted', mark: 'c' }], reachedEnd: false, missing: false })
  })

  test('a reader that was idle is forgotten, and scanned again', async () => {
    write(injected, answer)
    await look()
    clock = 10 * 60 * 1_000 + 1
    await look({ context: id<ContextId>('b') })
    // its scan began anew at the end: it has forgotten what it saw
    expect((await look({ from: FROM_END })).facts).toEqual([])
    expect((await look({ from: 0 })).facts).toEqual([fact(true)])
  })

  test('of many readers the least used are forgotten', async () => {
    write(injected, answer)
    await look()
    for (let n = 0; n < 63; n += 1) await look({ context: id<ContextId>(`c${n}`) })
    expect((await look({ from: FROM_END })).facts).toEqual([fact(true)])
    for (let n = 0; n < 64; n += 1) await look({ context: id<ContextId>(`d${n}`) })
    expect((await look({ from: FROM_END })).facts).toEqual([])
  })

  test('after it was closed nothing is read', async () => {
    write(injected, answer)
    await evidence.close()
    expect(await look()).toEqual({ facts: [], reachedEnd: false, missing: false })
  })

  test('closing ends a reading after its slice', async () => {
    write(...Array.from({ length: 20_000 }, () => other), injected, answer)
    const running = look()
    await evidence.close()
    expect(await running).toEqual({ facts: [], reachedEnd: false, missing: false })
  })
})
