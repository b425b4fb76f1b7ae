/** Subagents: contexts of their own, told apart, and no persons. */
import { must } from '../../row.ts'
import type { Row } from '../../row.ts'
import { inOrder } from '../model.ts'
import type { Script } from '../model.ts'
import { calls, say, subagent } from '../reply.ts'
import { countOf } from '../request.ts'
import type { Stage } from '../stage.ts'
import { mustBeAllowed, mustBeDenied, mustHaveRun, mustNotSee, mustSee, nth, touch } from './expect.ts'
import { HOLD, hold } from './hold.ts'

const FOR_SUBAGENTS = 'SUBAGENT-RULE: report file names only.'
const AT_PROMPT = 'PROMPT-RULE: tasks are written down first.'

/** Replies of the main agent and, by themselves, of its one subagent. */
function withSubagent(main: Script, sub: Script): Script {
  return (request, turn) => (request.agent === null ? main(request, turn) : sub({ ...request, agent: null }, turn))
}

async function ownPackAndGates(stage: Stage): Promise<void> {
  await stage.place.entry('sub', `---\ntitle: Reports\nwhen:\n  - session: subagent\n---\n${FOR_SUBAGENTS}\n`)
  await stage.place.entry('tasks', `---\ntitle: Tasks\nwhen:\n  - prompt: add a file\n---\n${AT_PROMPT}\n`)
  await stage.place.entry('owners', hold(HOLD))
  const main = inOrder(calls(subagent('Add a file')), calls(touch('b')), calls(touch('b')), say('Done.'))
  await stage.begin(withSubagent(main, inOrder(calls(touch('a')), calls(touch('a')), say('Added.'))))
  await stage.play(['Let somebody help'])
  const [first, second, third] = stage.model.requests().filter(({ agent }) => agent !== null)
  must(first !== undefined && second !== undefined && third !== undefined, 'the subagent should have asked three times')
  mustSee(first, FOR_SUBAGENTS)
  mustNotSee(first, HOLD)
  // T13: nobody typed what a subagent is told
  mustNotSee(first, AT_PROMPT)
  mustBeDenied(second)
  mustSee(second, HOLD)
  mustBeAllowed(third)
  // T9: what the subagent was shown, the main agent has not seen
  mustNotSee(nth(stage, 1), FOR_SUBAGENTS)
  mustBeDenied(nth(stage, 2))
  mustSee(nth(stage, 2), HOLD)
  mustBeAllowed(nth(stage, 3))
  await stage.verdict('sub', 'shown')
  await stage.verdict('owners', 'shown')
  const runs = new Set((await stage.server().log()).map((row) => row.run))
  must(runs.size === 1, `the subagent should work in the run of its session; there are ${runs.size}`)
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
  const agents = new Set(stage.model.requests().flatMap(({ agent }) => (agent === null ? [] : [agent])))
  must(agents.size === 2, `two subagents should have run; it was ${agents.size}`)
  for (const agent of agents) {
    const [, second, third] = stage.model.requests().filter((one) => one.agent === agent)
    must(second !== undefined && third !== undefined, 'each subagent should have asked three times')
    mustBeDenied(second)
    mustSee(second, HOLD)
    mustBeAllowed(third)
  }
  mustHaveRun(stage, 'x', 'y')
}

/** A task can be held too. */
async function taskHeld(stage: Stage): Promise<void> {
  await stage.place.entry('tasks', `---\ntitle: Tasks\nmust-know: true\nwhen:\n  - tool: task\n---\n${AT_PROMPT}\n`)
  await stage.begin(withSubagent(inOrder(calls(subagent('Help')), calls(subagent('Help')), say('Done.')), inOrder(say('Helped.'))))
  await stage.play(['Let somebody help'])
  mustBeDenied(nth(stage, 1))
  mustSee(nth(stage, 1), AT_PROMPT)
  mustBeAllowed(nth(stage, 2))
}

export const SUBAGENT_ROWS: readonly Row<Stage>[] = [
  { name: 'T9: a subagent has its own pack and gates', seams: ['subagent-start inject', 'before-tool deny'], run: ownPackAndGates },
  { name: 'T9: two subagents side by side', seams: ['before-tool deny'], run: subagentsAtOnce },
  { name: 'hold on a task', seams: ['before-tool deny'], run: taskHeld },
]
