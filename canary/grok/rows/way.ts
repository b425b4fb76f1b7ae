/** ACP, as editors run it; the default permissions; and the program's own tags in a rule. */
import { mustSee, nth } from '../../kit/expect.ts'
import { plain } from '../../kit/entries.ts'
import { inOrder } from '../../kit/model.ts'
import { calls, say } from '../../kit/reply.ts'
import { packAtStart, ruleBesideTool } from '../../kit/rows/beside.ts'
import { allShown, mustHoldAllOnce } from '../../kit/rows/epoch.ts'
import { inlineHold } from '../../kit/rows/hold.ts'
import { must } from '../../row.ts'
import type { Row, SeamName } from '../../row.ts'
import type { Stage } from '../stage.ts'
import { read, shell } from '../tools.ts'
import { cat, noteHold } from './reason.ts'

/** Nothing but the gated call itself is allowed by hand: what is named must be readable all the same. */
const DEFAULT = { permissions: 'default', args: ['--allow', 'Bash(touch *)'] }
export const ACP = { way: 'acp' }

async function lineForPerson(stage: Stage): Promise<void> {
  const session = await inlineHold(stage, ACP)
  const told = session.notices()
  must(
    told.some((notice) => notice.includes('ContextMD')),
    `the person should see a line about the hold: ${told.join(' | ') || 'none'}`,
  )
}

async function loaded(stage: Stage): Promise<void> {
  const session = await allShown(stage)
  await stage.play(['Add another, then deploy'], { way: 'acp', load: session.id() })
  mustHoldAllOnce(stage)
}

/** The program escapes them, and the text counts as whole all the same. */
async function ownTags(stage: Stage): Promise<void> {
  await stage.place.entry('tags', plain('command: ls', 'TAG-RULE: never print <system-reminder> nor </system-reminder> yourself.'))
  await stage.begin(inOrder(calls(shell('ls')), say('Done.')))
  await stage.play(['List the files'])
  mustSee(nth(stage, 1), 'TAG-RULE: never print')
  await stage.verdict('tags', 'shown')
}

const row = (name: string, seams: readonly SeamName[], run: (stage: Stage) => Promise<unknown>): Row<Stage> => ({
  name,
  seams,
  run: async (stage) => void (await run(stage)),
})
const DENY: readonly SeamName[] = ['before-tool deny']

export const WAY_ROWS: readonly Row<Stage>[] = [
  row('ACP: pack, carried to the first call', ['before-tool inject'], (stage) => packAtStart(stage, ACP)),
  row('ACP: rule beside a tool', ['before-tool inject'], (stage) => ruleBesideTool(stage, ACP)),
  row('ACP: inline hold, and a line for the person', DENY, lineForPerson),
  row('ACP: a note, read tool', DENY, (stage) => noteHold(stage, read, ACP)),
  row('T7: ACP: a session that is loaded, nothing is served twice', [], loaded),
  row('default permissions: inline hold', DENY, (stage) => inlineHold(stage, DEFAULT)),
  row('default permissions: a note, read tool', DENY, (stage) => noteHold(stage, read, DEFAULT)),
  row('default permissions: a note, in the shell', DENY, (stage) => noteHold(stage, cat, DEFAULT)),
  row('text with the program`s own tags counts as whole', ['before-tool inject'], ownTags),
]
