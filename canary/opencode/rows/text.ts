/** Texts that are too long for a run, and texts of many bytes a character. */
import { must } from '../../row.ts'
import type { Row } from '../../row.ts'
import { inOrder } from '../model.ts'
import { calls, read, say } from '../reply.ts'
import { allText } from '../request.ts'
import type { ModelRequest } from '../request.ts'
import type { Stage } from '../stage.ts'
import { mustBeAllowed, mustBeDenied, mustHaveRun, mustNotSee, mustSee, nth, touch } from './expect.ts'
import { hold } from './hold.ts'

/** Over the 8,000 bytes of a run. */
const OVER_LONG = Array.from({ length: 300 }, (_, line) => `LONG-RULE line ${line}: every part has an owner, and the owner signs.`).join(
  '\n',
)
/** 7,200 bytes in 2,400 characters. */
const MULTI_BYTE = `規則:${'署名は必ず二名で。'.repeat(260)}終`
/** 7,200 bytes in 3,600 UTF-16 units of 1,800 characters. */
const SURROGATES = `EMOJI-RULE ${'🚦'.repeat(1_800)} end`

async function overLongPlain(stage: Stage): Promise<void> {
  const file = await stage.place.entry('long', `---\ntitle: Owners\nwhen:\n  - prompt: owners\n---\n${OVER_LONG}\n`)
  await stage.begin(inOrder(say('Fine.')))
  await stage.play(['What about owners?'])
  mustNotSee(nth(stage, 0), 'LONG-RULE line 299')
  must(allText(nth(stage, 0)).includes(file), 'the request should name the file of the entry')
  await stage.verdict('long', 'shown')
}

/** The file that the deny names: the entry's own, or a note. */
function namedFile(stage: Stage, request: ModelRequest): string {
  const text = request.fresh.map((part) => part.text).join('\n')
  const path = text.split(/[\s`"'()<>]+/).find((word) => word.startsWith(stage.place.root) && /\.(md|txt)[.,;:]?$/.test(word))
  must(path !== undefined, `the deny should name a file to read: ${text.slice(0, 300)}`)
  return path.replace(/[.,;:]$/, '')
}

/** G22: an inline rule that had to be sent as a pointer lifts once its file was read. */
async function overLongHold(stage: Stage): Promise<void> {
  await stage.place.entry('owners', hold(OVER_LONG))
  await stage.begin(inOrder(calls(touch('a')), (request) => calls(read(namedFile(stage, request))), calls(touch('a')), say('Done.')))
  await stage.play(['Add a file'])
  mustBeDenied(nth(stage, 1))
  mustSee(nth(stage, 2), 'LONG-RULE line 299')
  mustBeAllowed(nth(stage, 3))
  mustHaveRun(stage, 'a')
}

async function multiByte(stage: Stage, text: string): Promise<void> {
  await stage.place.entry('signs', hold(text))
  await stage.begin(inOrder(calls(touch('a')), calls(touch('a')), say('Done.')))
  await stage.play(['Add a file'])
  mustBeDenied(nth(stage, 1))
  mustSee(nth(stage, 1), text)
  mustBeAllowed(nth(stage, 2))
  await stage.verdict('signs', 'shown')
}

export const TEXT_ROWS: readonly Row<Stage>[] = [
  { name: 'X1: over-long text is a pointer', seams: ['prompt inject'], run: overLongPlain },
  { name: 'G22: over-long hold, its file read, then allowed', seams: ['before-tool deny'], run: overLongHold },
  { name: 'X2: multi-byte text arrives whole', seams: ['before-tool deny'], run: (stage) => multiByte(stage, MULTI_BYTE) },
  { name: 'X2: text of surrogate pairs arrives whole', seams: ['before-tool deny'], run: (stage) => multiByte(stage, SURROGATES) },
]
