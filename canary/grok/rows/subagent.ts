/** Subagents, and what the program itself says in a person's place: contexts of their own, told apart, and no persons. */
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../contextmd.ts'
import { must } from '../../row.ts'
import type { Row } from '../../row.ts'
import { inOrder } from '../model.ts'
import type { Script } from '../model.ts'
import { background, calls, say, shell, subagent } from '../reply.ts'
import { allText, countOf } from '../request.ts'
import type { Stage } from '../stage.ts'
import { mustBeAllowed, mustBeDenied, mustHaveRun, mustNotSee, mustSee, nth, touch } from './expect.ts'
import { HOLD, hold } from './hold.ts'

const FOR_SUBAGENTS = 'SUBAGENT-RULE: report file names only.'
const AT_PROMPT = 'PROMPT-RULE: tasks are written down first.'
/** The background command takes a second. */
const NOTICE_TIMEOUT_MS = 15_000

/** Replies of the main agent and, by themselves, of its subagents. */
function withSubagent(main: Script, sub: Script): Script {
  return (request, turn) => (request.agent === null ? main(request, turn) : sub({ ...request, agent: null }, turn))
}

async function ownPackAndGates(stage: Stage): Promise<void> {
  await stage.place.entry('sub', `---\ntitle: Reports\nwhen:\n  - session: subagent\n---\n${FOR_SUBAGENTS}\n`)
  await stage.place.entry('tasks', `---\ntitle: Tasks\nwhen:\n  - prompt: file\n---\n${AT_PROMPT}\n`)
  await stage.place.entry('owners', hold(HOLD))
  const main = inOrder(calls(subagent('Add a file')), calls(touch('b')), calls(touch('b')), say('Done.'))
  const sub = inOrder(calls(shell('echo one')), calls(touch('a')), calls(touch('a')), say('Added.'))
  await stage.begin(withSubagent(main, sub))
  await stage.play(['Let somebody go'])
  const own = stage.model.requests().filter((request) => request.agent !== null)
  const [first, second, third, fourth] = own
  must(
    first !== undefined && second !== undefined && third !== undefined && fourth !== undefined,
    `the subagent should have asked four times; it asked ${own.length} times`,
  )
  mustNotSee(first, FOR_SUBAGENTS)
  mustSee(second, FOR_SUBAGENTS)
  mustBeDenied(third)
  mustSee(third, HOLD)
  mustBeAllowed(fourth)
  // T13: an agent wrote its prompt.
  mustNotSee(fourth, AT_PROMPT)
  // T9: what the subagent was shown, the main agent has not seen.
  mustNotSee(nth(stage, 1), FOR_SUBAGENTS)
  mustBeDenied(nth(stage, 2))
  mustSee(nth(stage, 2), HOLD)
  mustBeAllowed(nth(stage, 3))
  await stage.verdict('sub', 'shown')
  await stage.verdict('owners', 'shown')
}

/** T9: subagents that run side by side are told apart. */
async function subagentsAtOnce(stage: Stage): Promise<void> {
  await stage.place.entry('owners', hold(HOLD))
  const main = inOrder(calls(subagent('Add x'), subagent('Add y')), say('Done.'))
  await stage.begin((request, turn) => {
    if (request.agent === null) return main(request, turn)
    const name = countOf(request, 'Add x') > 0 ? 'x' : 'y'
    return turn < 2 ? calls(touch(name)) : say('Added.')
  })
  await stage.play(['Let two add a file each'])
  const agents = new Set(stage.model.requests().flatMap((request) => (request.agent === null ? [] : [request.agent])))
  must(agents.size === 2, `two subagents should have run; it was ${agents.size}`)
  for (const agent of agents) {
    const [, second, third] = stage.model.requests().filter((request) => request.agent === agent)
    must(second !== undefined && third !== undefined, 'each subagent should have asked three times')
    mustBeDenied(second)
    mustSee(second, HOLD)
    mustBeAllowed(third)
  }
  mustHaveRun(stage, 'x', 'y')
}

/** T13: the notice of a background command starts a turn that nobody typed: no rule for prompts, and no new run. */
async function backgroundNotice(stage: Stage): Promise<void> {
  await stage.place.entry('tasks', `---\ntitle: Tasks\nwhen:\n  - prompt: task\n---\n${AT_PROMPT}\n`)
  await stage.begin(inOrder(calls(background('sleep 1; echo late')), say('It is on its way.'), calls(shell('echo seen')), say('Noted.')))
  const session = stage.open({ way: 'acp' })
  await session.say('Go')
  const isTold = async (): Promise<boolean> => stage.main().length >= 4
  must(
    await until(isTold, NOTICE_TIMEOUT_MS),
    `the model should have been told that the command is done; it was asked ${stage.main().length} times`,
  )
  await sleep(500)
  await session.end()
  must(allText(nth(stage, 2)).includes('Background task'), 'the notice should be in what the model was sent')
  mustNotSee(nth(stage, 3), AT_PROMPT)
  const runs = new Set((await stage.server().log()).flatMap((row) => (row.kind === 'prompt' ? [row.run] : [])))
  must(runs.size === 1 && !runs.has(null), `all prompts should belong to one run; they belong to ${runs.size}`)
}

export const SUBAGENT_ROWS: readonly Row<Stage>[] = [
  { name: 'T9: a subagent has its own pack and gates', seams: ['before-tool inject', 'before-tool deny'], run: ownPackAndGates },
  { name: 'T9: two subagents side by side', seams: ['before-tool deny'], run: subagentsAtOnce },
  { name: 'T13: the notice of a background command', seams: [], run: backgroundNotice },
]
