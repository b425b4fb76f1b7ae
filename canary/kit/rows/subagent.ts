/** Subagents: contexts of their own, told apart, and no persons. */
import { must } from '../../row.ts'
import { HOLD, hold, plain } from '../entries.ts'
import { mustBeAllowed, mustBeDenied, mustHaveRun, mustNotSee, mustSee, nth, touch } from '../expect.ts'
import { inOrder, withSubagent } from '../model.ts'
import { calls, say } from '../reply.ts'
import type { ModelReply } from '../reply.ts'
import { countOf } from '../request.ts'
import type { ModelRequest } from '../request.ts'
import { takesTextAtOnce } from '../stage.ts'
import type { Stage } from '../stage.ts'

const FOR_SUBAGENTS = 'SUBAGENT-RULE: report file names only.'
const AT_TASK = 'TASK-RULE: tasks are written down first.'

type Reply = ModelReply | ((request: ModelRequest) => ModelReply)

/** Starts subagents, and waits for them where their call does not. */
export function started(stage: Stage, ...tasks: readonly string[]): readonly Reply[] {
  const { subagent, awaited } = stage.rig.tools
  return [calls(...tasks.map((task) => subagent(task))), ...(awaited === undefined ? [] : [awaited])]
}

export async function ownPackAndGates(stage: Stage): Promise<void> {
  await stage.place.entry('sub', plain('session: subagent', FOR_SUBAGENTS))
  await stage.place.entry('tasks', plain('prompt: add a file', AT_TASK))
  await stage.place.entry('owners', hold(HOLD))
  const start = started(stage, 'Add a file')
  const [a, b] = [calls(touch(stage, 'a')), calls(touch(stage, 'b'))]
  await stage.begin(
    withSubagent(inOrder(...start, b, b, say('Done.')), inOrder(calls(stage.rig.tools.shell('echo one')), a, a, say('Added.'))),
  )
  await stage.play(['Let somebody help'])
  const own = stage.subagents()
  const [first, second, third, fourth] = own
  must(
    first !== undefined && second !== undefined && third !== undefined && fourth !== undefined,
    `the subagent should have asked four times; it asked ${own.length} times`,
  )
  const isAtOnce = takesTextAtOnce(stage)
  mustSee(isAtOnce ? first : second, FOR_SUBAGENTS)
  mustNotSee(second, HOLD)
  mustBeDenied(stage, third)
  mustSee(third, HOLD)
  mustBeAllowed(stage, fourth)
  // T13: an agent wrote its prompt.
  mustNotSee(fourth, AT_TASK)
  // T9: what the subagent was shown, the main agent has not seen.
  const back = start.length
  mustNotSee(nth(stage, back), FOR_SUBAGENTS)
  mustNotSee(nth(stage, back), HOLD)
  mustBeDenied(stage, back + 1)
  mustSee(nth(stage, back + 1), HOLD)
  mustBeAllowed(stage, back + 2)
  await stage.verdict('sub', 'shown')
  await stage.verdict('owners', 'shown')
  if (!stage.rig.traits.tellsSubagentLate) await mustBeOneRun(stage)
  await mustWorkInParentsRun(stage)
}

/** From its start on, a subagent's moments are those of the run that the person's prompt began. */
async function mustWorkInParentsRun(stage: Stage): Promise<void> {
  const rows = await stage.server().log()
  const run = rows.find(({ kind }) => kind === 'prompt')?.run
  const started = rows.find(({ kind }) => kind === 'subagent-start')
  must(started !== undefined && typeof run === 'string', 'a prompt with a run and a start of a subagent should be told')
  const own = rows.filter(({ context, number }) => context === started.context && number >= started.number)
  const other = own.filter((row) => row.run !== run)
  must(other.length === 0, `the subagent should work in the run ${run}; it works in ${other.map((row) => row.run).join(', ')}`)
}

/** T13: all prompts belong to the run that the person's prompt began. */
export async function mustBeOneRun(stage: Stage): Promise<void> {
  const runs = new Set((await stage.server().log()).flatMap((row) => (row.kind === 'prompt' ? [row.run] : [])))
  must(runs.size === 1 && !runs.has(null), `all prompts should belong to one run; they belong to ${[...runs].join(', ') || 'none'}`)
}

/** T9: subagents that run side by side are told apart. */
export async function subagentsAtOnce(stage: Stage): Promise<void> {
  await stage.place.entry('owners', hold(HOLD))
  const main = inOrder(...started(stage, 'Add x', 'Add y'), say('Done.'))
  await stage.begin((request, turn) => {
    if (request.agent === null) return main(request, turn)
    const name = countOf(request, 'Add x') > 0 ? 'x' : 'y'
    return turn < 2 ? calls(touch(stage, name)) : say('Added.')
  })
  await stage.play(['Let two add a file each'])
  const agents = new Set(stage.subagents().map(({ agent }) => agent))
  must(agents.size === 2, `two subagents should have run; it was ${agents.size}`)
  for (const agent of agents) {
    const [, second, third] = stage.subagents().filter((request) => request.agent === agent)
    must(second !== undefined && third !== undefined, 'each subagent should have asked three times')
    mustBeDenied(stage, second)
    mustSee(second, HOLD)
    mustBeAllowed(stage, third)
  }
  mustHaveRun(stage, 'x', 'y')
}
