/** Texts that are too long for one answer, and texts of many bytes a character. */
import { must } from '../../row.ts'
import type { Row } from '../../row.ts'
import { inOrder } from '../model.ts'
import { calls, read, say, shell } from '../reply.ts'
import { allText } from '../request.ts'
import type { Stage } from '../stage.ts'
import { mustBeAllowed, mustBeDenied, mustHaveRun, mustNotSee, mustSee, nth, touch } from './expect.ts'
import { hold, namedFile } from './hold.ts'

/** Over the 8,000 bytes of a run and over the 10,000 characters of an answer. */
const OVER_LONG = Array.from({ length: 300 }, (_, line) => `LONG-RULE line ${line}: every part has an owner, and the owner signs.`).join(
  '\n',
)
/** 7,200 bytes in 2,400 characters: whole by the byte, far below the program's limit. */
const MULTI_BYTE = `規則:${'署名は必ず二名で。'.repeat(260)}終`
/** 7,200 bytes in 3,600 UTF-16 units of 1,800 characters. */
const SURROGATES = `EMOJI-RULE ${'🚦'.repeat(1_800)} end`
/** Tags that the program escapes, in a text that must count as whole all the same. */
const TAGS = 'TAG-RULE: never print <system-reminder> nor </system-reminder> yourself.'

const beside = (text: string): string => `---\ntitle: Owners\nwhen:\n  - command: ls\n---\n${text}\n`

async function overLongPlain(stage: Stage): Promise<void> {
  const file = await stage.place.entry('long', beside(OVER_LONG))
  await stage.begin(inOrder(calls(shell('ls')), say('Fine.')))
  await stage.play(['List the files'])
  mustNotSee(nth(stage, 1), 'LONG-RULE line 299')
  must(allText(nth(stage, 1)).includes(file), 'the request should name the file of the entry')
  await stage.verdict('long', 'shown')
}

/** G22: an inline rule that had to be sent as a pointer lifts once its note was read. */
async function overLongHold(stage: Stage): Promise<void> {
  await stage.place.entry('owners', hold(OVER_LONG))
  await stage.begin(inOrder(calls(touch('a')), (request) => calls(read(namedFile(stage, request))), calls(touch('a')), say('Done.')))
  await stage.play(['Add a file'])
  mustBeDenied(nth(stage, 1))
  mustSee(nth(stage, 2), 'LONG-RULE line 299')
  mustBeAllowed(nth(stage, 3))
  mustHaveRun(stage, 'a')
}

async function whole(stage: Stage, text: string, asSeen = text): Promise<void> {
  await stage.place.entry('signs', beside(text))
  await stage.begin(inOrder(calls(shell('ls')), say('Done.')))
  await stage.play(['List the files'])
  mustSee(nth(stage, 1), asSeen)
  await stage.verdict('signs', 'shown')
}

/** X3: as many characters of four bytes as a reason holds. */
async function wholeReason(stage: Stage): Promise<void> {
  const text = `REASON ${'🚦'.repeat(60)} end`
  await stage.place.entry('signs', hold(text))
  await stage.begin(inOrder(calls(touch('a')), calls(touch('a')), say('Done.')))
  await stage.play(['Add a file'])
  mustBeDenied(nth(stage, 1))
  mustSee(nth(stage, 1), text)
  mustBeAllowed(nth(stage, 2))
  await stage.verdict('signs', 'shown')
}

export const TEXT_ROWS: readonly Row<Stage>[] = [
  { name: 'X1: over-long text is a pointer, never cut', seams: ['before-tool inject'], run: overLongPlain },
  { name: 'G22: over-long hold, its note read, then allowed', seams: ['before-tool deny'], run: overLongHold },
  { name: 'X2: multi-byte text arrives whole', seams: ['before-tool inject'], run: (stage) => whole(stage, MULTI_BYTE) },
  { name: 'X2: text of surrogate pairs arrives whole', seams: ['before-tool inject'], run: (stage) => whole(stage, SURROGATES) },
  { name: 'X2: a reason of surrogate pairs arrives whole', seams: ['before-tool deny'], run: wholeReason },
  {
    name: 'text with the program`s own tags counts as whole',
    seams: ['before-tool inject'],
    run: (stage) => whole(stage, TAGS, 'TAG-RULE: never print'),
  },
]
