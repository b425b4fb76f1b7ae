/** The reason of a deny holds 256 characters: what is longer stands in a note that it names. */
import { guided, HOLD, hold, SECOND } from '../../kit/entries.ts'
import { mustBeAllowed, mustBeDenied, mustHaveRun, mustSee, namedFile, nth } from '../../kit/expect.ts'
import { inOrder } from '../../kit/model.ts'
import { calls, say } from '../../kit/reply.ts'
import type { Block } from '../../kit/reply.ts'
import { readThenAllowed } from '../../kit/rows/hold.ts'
import { must } from '../../row.ts'
import type { Row, SeamName } from '../../row.ts'
import type { Stage } from '../stage.ts'
import { read, shell, touch } from '../tools.ts'

/** Longer than a reason, far shorter than what stands beside a call. */
const LONGER = `LONGER-RULE: ${'every part has an owner, and the owner signs. '.repeat(12)}LONGER-END`

/** X3, G22: too long for a reason, so it names a note, which is not the entry's own file. */
export async function noteHold(stage: Stage, reader: (note: string) => Block, options: object = {}): Promise<void> {
  await stage.place.entry('owners', hold(LONGER))
  await readThenAllowed(stage, reader, 'LONGER-END', options)
  must(namedFile(stage, nth(stage, 1)).startsWith(`${stage.place.data}/notes/`), 'the deny should name a note')
  await stage.verdict('owners', 'shown')
}

/** One text fills a reason: the second gate comes at the retry. */
export async function twoGates(stage: Stage): Promise<void> {
  await stage.place.entry('owners', hold(`${HOLD} ${'x'.repeat(60)}`))
  await stage.place.entry('names', hold(`${SECOND} ${'y'.repeat(60)}`, 'Names'))
  await stage.begin(inOrder(calls(touch('a')), calls(touch('a')), calls(touch('a')), say('Done.')))
  await stage.play(['Add a file'])
  mustBeDenied(stage, 1)
  mustBeDenied(stage, 2)
  mustSee(nth(stage, 2), HOLD)
  mustSee(nth(stage, 2), SECOND)
  mustBeAllowed(stage, 3)
  await stage.verdict('owners', 'shown')
  await stage.verdict('names', 'shown')
}

/** G16: the harness ends the turn after the twelfth identical denied call; a gate lets it pass long before. */
async function sameCallAgain(stage: Stage): Promise<void> {
  await guided(stage)
  await stage.begin(inOrder(...Array.from({ length: 7 }, () => calls(touch('a'))), say('Done.')))
  await stage.play(['Add a file'])
  mustHaveRun(stage, 'a')
  must(stage.main().length === 8, `the turn should have gone on to its end; the model was asked ${stage.main().length} times`)
}

/** X3: as many characters of four bytes as a reason holds. */
async function wholeReason(stage: Stage): Promise<void> {
  const text = `REASON ${'🚦'.repeat(60)} end`
  await stage.place.entry('signs', hold(text))
  await stage.begin(inOrder(calls(touch('a')), calls(touch('a')), say('Done.')))
  await stage.play(['Add a file'])
  mustBeDenied(stage, 1)
  mustSee(nth(stage, 1), text)
  mustBeAllowed(stage, 2)
  await stage.verdict('signs', 'shown')
}

export const cat = (file: string): Block => shell(`cat ${file}`)

const DENY: readonly SeamName[] = ['before-tool deny']

export const REASON_ROWS: readonly Row<Stage>[] = [
  { name: 'X3: longer inline hold, its note read with the read tool, then allowed', seams: DENY, run: (stage) => noteHold(stage, read) },
  { name: 'X3: longer inline hold, its note read in the shell, then allowed', seams: DENY, run: (stage) => noteHold(stage, cat) },
  { name: 'two gates on one call, one after the other', seams: DENY, run: twoGates },
  { name: 'X3: a reason of surrogate pairs arrives whole', seams: DENY, run: wholeReason },
  { name: 'G16: the same held call again and again, the gate lets it pass', seams: DENY, run: sameCallAgain },
]
