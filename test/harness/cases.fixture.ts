/** The cases of the contract. Each gets a conversation of its own, and puts the rules that it needs into the store. */
import { expect } from 'vitest'
import type { MomentKind } from '../../src/core/moment.ts'
import type { Limit, Profile } from '../../src/core/profile.ts'
import type { Desk } from './desk.fixture.ts'
import type { Call, Conversation, Driver, Told } from './driver.fixture.ts'

export interface Scene {
  readonly desk: Desk
  readonly driver: Driver
  readonly session: string
}

const PACK = 'PACK-RULE: releases are written into the ledger.'
const AT_PROMPT = 'PROMPT-RULE: deployments are announced first.'
const BESIDE = 'BESIDE-RULE: listings are short.'
const AFTER = 'AFTER-RULE: this warning is known.'
const HOLD = 'HOLD-RULE: new files get an owner in OWNERS.'
const NEVER = 'NEVER-RULE: no new files in the release week.'
/** Over the 8,000 bytes of a run and over what one answer of most harnesses may carry. */
const OVER_LONG = Array.from({ length: 300 }, (_, line) => `LONG-RULE line ${line}: every part has an owner.`).join('\n')

const plain = (key: string, text: string): string => `---\ntitle: Plain\nwhen:\n  - ${key}\n---\n${text}\n`
const hold = (text: string): string => `---\ntitle: Owners\nmust-know: true\nwhen:\n  - command: touch\n---\n${text}\n`
const USUAL = { pack: plain('session: start', PACK), deploy: plain('prompt: deploy', AT_PROMPT), owners: hold(HOLD) }

interface Step {
  readonly kind: MomentKind
  readonly told: Told
}

/** A whole call: before it, and after it if it ran. */
async function run(talk: Conversation, call: Call): Promise<readonly Step[]> {
  const before = await talk.before(call)
  if (before.denied !== null) return [{ kind: 'before-tool', told: before }]
  return [
    { kind: 'before-tool', told: before },
    { kind: 'after-tool', told: await talk.after(call) },
  ]
}

/** Start, prompt, calls, stop, as they come in every harness. */
async function turn(talk: Conversation, prompt: string, ...calls: readonly Call[]): Promise<readonly Step[]> {
  const steps: Step[] = [
    { kind: 'session-start', told: await talk.start() },
    { kind: 'prompt', told: await talk.prompt(prompt) },
  ]
  for (const call of calls) {
    steps.push(...(await run(talk, call)))
    await talk.answered([])
  }
  steps.push({ kind: 'stop', told: await talk.stop() })
  return steps
}

/** Where a text was handed over, and that it was so once. */
function placeOf(steps: readonly Step[], text: string): MomentKind | null {
  const places = steps.filter(({ told }) => `${told.text}${told.denied ?? ''}`.includes(text))
  expect(places.length).toBeLessThanOrEqual(1)
  return places[0]?.kind ?? null
}

/** The first of these moments at which the harness takes text. */
function firstSeam({ seams }: Profile, ...kinds: readonly MomentKind[]): MomentKind | undefined {
  return kinds.find((kind) => (seams[kind]?.inject ?? null) !== null)
}

const LS: Call = { id: 'ls', command: 'ls', output: 'a.txt\n' }
const touch = (id: string): Call => ({ id, command: 'touch a' })

async function packAtStart({ desk, driver, session }: Scene): Promise<void> {
  desk.rules({ pack: USUAL.pack })
  const steps = await turn(driver.open(session), 'Hello', LS)
  // where a start has no answer of its own, its text comes with the first message
  const wanted = driver.profile.name === 'opencode' ? 'prompt' : firstSeam(driver.profile, 'session-start', 'prompt', 'before-tool')
  expect(placeOf(steps, PACK)).toBe(wanted)
}

async function ruleAtPrompt({ desk, driver, session }: Scene): Promise<void> {
  desk.rules({ deploy: USUAL.deploy })
  const talk = driver.open(session)
  expect(placeOf(await turn(talk, 'Tell me a story', LS), AT_PROMPT)).toBeNull()
  const steps = [{ kind: 'prompt', told: await talk.prompt('Now deploy it') }, ...(await run(talk, { ...LS, id: 'ls2' }))] as const
  expect(placeOf(steps, AT_PROMPT)).toBe(firstSeam(driver.profile, 'prompt', 'before-tool'))
}

async function ruleBesideTool({ desk, driver, session }: Scene): Promise<void> {
  desk.rules({ listing: plain('command: ls', BESIDE) })
  const steps = await turn(driver.open(session), 'List the files', LS, { ...LS, id: 'ls2' })
  expect(placeOf(steps, BESIDE)).toBe(firstSeam(driver.profile, 'before-tool', 'after-tool'))
}

async function ruleAfterOutput({ desk, driver, session }: Scene): Promise<void> {
  desk.rules({ after: plain('output: deprecated', AFTER) })
  const steps = await turn(driver.open(session), 'Go', LS, { id: 'npm', command: 'npm i', output: 'deprecated gadget\n' })
  expect(placeOf(steps, AFTER)).toBe('after-tool')
}

/** M8: the command tells its status itself, so that no record is needed for it. */
async function ruleAfterFailure({ desk, driver, session }: Scene): Promise<void> {
  desk.rules({ after: plain('failed: true', AFTER) })
  const failing: Call = { id: 'fail', command: 'ls none; echo "exit=$?"', output: 'ls: none\nexit=2\n' }
  expect(placeOf(await turn(driver.open(session), 'Go', LS, failing), AFTER)).toBe('after-tool')
}

/** The next try may be in the same turn or in the next one: here it is the next, which every harness tells. */
async function held({ desk, driver, session }: Scene): Promise<void> {
  desk.rules({ owners: hold(HOLD) })
  const talk = driver.open(session)
  await talk.start()
  await talk.prompt('Add a file')
  const told = await talk.before(touch('c1'))
  expect(told.denied).not.toBeNull()
  expect(`${told.text}${told.denied}`).toContain(HOLD)
  // G14: it says that it is no failure, and that the same call may follow
  expect(told.denied).toMatch(/(?:not a|no) failure/i)
  expect(told.denied).toMatch(/repeat this call|retry/)
  expect(told.denied).not.toMatch(/error/i)
  await talk.answered([{ call: touch('c1'), told }])
  await talk.stop()
  await talk.prompt('Go on')
  expect((await talk.before(touch('c2'))).denied).toBeNull()
}

/** Law 1: one meaning in every harness, whether a text stands beside an answer, or in the reason of a deny. */
async function logged({ desk, driver, session }: Scene): Promise<void> {
  desk.rules({ owners: hold(HOLD), after: plain('output: deprecated', AFTER) })
  const talk = driver.open(session)
  const steps = await turn(talk, 'Go', { id: 'npm', command: 'npm i', output: 'deprecated gadget\n' }, touch('c1'))
  const texts = steps
    .map(({ told: { text, denied } }) => (denied === null || text !== '' ? text : denied.slice(denied.indexOf('\n') + 1)).trim())
    .filter((text) => text !== '')
  expect(texts).toHaveLength(2)
  const rows = (await desk.engine.logbook.log({ newest: true, limit: 100 })).filter((row) => String(row.session) === session)
  const sizes = rows.map(({ bytes }) => bytes).filter((bytes) => bytes > 0)
  expect(sizes.toReversed()).toEqual(texts.map((text) => Buffer.byteLength(text)))
  for (const { bytes, candidates } of rows) expect(candidates.reduce((sum, one) => sum + one.bytes, 0)).toBe(bytes)
}

/** G20: all calls of a wave are denied, the text is sent once. */
async function heldWave({ desk, driver, session }: Scene): Promise<void> {
  desk.rules({ owners: hold(HOLD) })
  const talk = driver.open(session)
  await talk.start()
  await talk.prompt('Add files')
  const wave: Told[] = []
  for (const id of ['c1', 'c2', 'c3', 'c4']) wave.push(await talk.before(touch(id)))
  expect(wave.every(({ denied }) => denied !== null)).toBe(true)
  expect(wave.filter(({ text, denied }) => `${text}${denied}`.includes(HOLD))).toHaveLength(1)
}

/** G16: as often as it is tried. */
async function forbidden({ desk, driver, session }: Scene): Promise<void> {
  desk.rules({ week: `---\ntitle: Release week\nforbid: true\nwhen:\n  - command: touch\n---\n${NEVER}\n` })
  const talk = driver.open(session)
  await talk.start()
  await talk.prompt('Add a file')
  for (const id of ['c1', 'c2', 'c3', 'c4', 'c5', 'c6']) {
    const told = await talk.before(touch(id))
    expect(told.denied, id).not.toBeNull()
    await talk.answered([{ call: touch(id), told }])
  }
}

function sizeOf(text: string, { unit }: Limit): number {
  return unit === 'bytes' ? Buffer.byteLength(text) : text.length
}

/** X1, X2: in the unit of the harness no answer is longer than what arrives whole; what does not fit is named by its file. */
async function overLong({ desk, driver, session }: Scene): Promise<void> {
  const emoji = `EMOJI-RULE ${'🚦'.repeat(1_700)} end`
  desk.rules({ long: plain('command: ls', OVER_LONG), signs: plain('command: cat', emoji), owners: hold(OVER_LONG) })
  const talk = driver.open(session)
  const steps = await turn(talk, 'Go', { id: 'cat', command: 'cat a', output: 'a' }, LS, touch('c1'))
  expect(placeOf(steps, emoji)).not.toBeNull()
  expect(placeOf(steps, 'LONG-RULE line 299')).toBeNull()
  expect(placeOf(steps, 'long.md')).not.toBeNull()
  for (const { kind, told } of steps) {
    const seam = driver.profile.seams[kind]?.inject
    if (told.text !== '' && seam !== undefined && seam !== null) expect(sizeOf(told.text, seam)).toBeLessThanOrEqual(seam.max)
    const reason = driver.profile.denyReason
    if (told.denied !== null && reason !== undefined) expect(sizeOf(told.denied, reason)).toBeLessThanOrEqual(reason.max)
  }
}

/** T12: the same event again gets the same answer and is charged once; equal events of different moments are not taken for it. */
async function repeated({ desk, driver, session }: Scene): Promise<void> {
  desk.rules({ listing: plain('command: ls', BESIDE), deploy: USUAL.deploy })
  const talk = driver.open(session)
  await talk.start()
  await talk.prompt('Hello')
  const first = await talk.before(LS)
  if (talk.again !== null) expect(await talk.again()).toEqual(first)
  await talk.after(LS)
  const steps = [
    { kind: 'prompt', told: await talk.prompt('deploy') },
    { kind: 'prompt', told: await talk.prompt('deploy') },
    ...(await run(talk, { ...LS, id: 'ls2' })),
  ] as const
  expect(placeOf(steps, AT_PROMPT)).not.toBeNull()
  const kept = (await desk.engine.logbook.log({ newest: true, limit: 100 })).filter((row) => String(row.session) === session)
  expect(kept.filter((row) => row.kind === 'prompt')).toHaveLength(3)
}

/** What is new in a later version breaks nothing, and is denied nothing. */
async function unknown({ desk, driver, session }: Scene): Promise<void> {
  desk.rules(USUAL)
  expect(await driver.unknown(session)).not.toMatch(/deny/)
  const steps = await turn(driver.open(`${session.slice(0, -4)}fffe`), 'deploy', LS)
  expect(placeOf(steps, AT_PROMPT)).not.toBeNull()
}

/** S9, S11: nothing is printed, the hook ends well, and health counts it. */
async function garbage({ desk, driver }: Scene): Promise<void> {
  desk.rules(USUAL)
  const count = (): number => desk.engine.health().counters['not_analysed'] ?? 0
  const before = count()
  for (const text of ['', '{"hook_event_name":', '[]', 'null', '"PreToolUse"']) expect(await driver.garbage?.(text)).toBe('')
  expect(count() - before).toBeGreaterThan(0)
}

async function mustBeUntouched(talk: Conversation): Promise<void> {
  for (const { told } of await turn(talk, 'Add a file, then deploy', touch('c1'))) expect(told).toEqual({ text: '', denied: null })
}

async function down({ desk, driver, session }: Scene): Promise<void> {
  desk.rules(USUAL)
  await mustBeUntouched(driver.down(session))
}

async function switchedOff({ desk, driver, session }: Scene): Promise<void> {
  desk.rules(USUAL)
  await mustBeUntouched(driver.open(session, { CONTEXTMD_OFF: '1' }))
  const rows = (await desk.engine.logbook.log({ newest: true, limit: 20 })).filter((row) => String(row.session) === session)
  expect(rows.length).toBeGreaterThan(0)
}

/** S3: a mistake in one entry takes none of the others along. */
async function broken({ desk, driver, session }: Scene): Promise<void> {
  desk.rules({ broken: '---\nwhem:\n  - command: ls\n---\nBROKEN-RULE\n', listing: plain('command: ls', BESIDE) })
  const steps = await turn(driver.open(session), 'List the files', LS)
  expect(placeOf(steps, BESIDE)).not.toBeNull()
  expect(placeOf(steps, 'BROKEN-RULE')).toBeNull()
  expect(desk.engine.health().problems.map(({ code }) => code)).toContain('entry_unknown_key')
}

export const CASES = {
  'pack at session start': packAtStart,
  'rule at a prompt': ruleAtPrompt,
  'T7: rule beside a tool, once': ruleBesideTool,
  'rule after a tool': ruleAfterOutput,
  'M8: rule after a failure': ruleAfterFailure,
  'G14, G18: a held call goes on after one deny where there are no records': held,
  'law 1: the log tells the bytes of the text, beside a call and in a deny': logged,
  'G20: a wave is held as a whole, its text sent once': heldWave,
  'G16: a forbidden call stays forbidden': forbidden,
  'X1, X2: no answer is longer than what arrives whole': overLong,
  'T12: the same event again, and equal events of different moments': repeated,
  'an unknown event, unknown fields': unknown,
  'S9, S11: what is no event is counted, and never a deny': garbage,
  'S6: the server is down': down,
  'switched off by CONTEXTMD_OFF': switchedOff,
  'S3: a mistake in one entry takes no other along': broken,
} as const satisfies Readonly<Record<string, (scene: Scene) => Promise<void>>>
export type CaseName = keyof typeof CASES
