/** Subagents: contexts of their own, told apart, and no persons. */
import { must } from '../../row.ts'
import type { Row } from '../../row.ts'
import { inOrder } from '../model.ts'
import type { Script } from '../model.ts'
import { calls, say, script, shell, subagent, waitFor } from '../reply.ts'
import { countOf, startedAgents } from '../request.ts'
import type { ModelRequest } from '../request.ts'
import type { Stage } from '../stage.ts'
import { CODE_MODEL } from '../session.ts'
import { COMPACT_ABOVE_TOKENS, NEARLY_FULL_TOKENS } from './epoch.ts'
import { mustBeAllowed, mustBeDenied, mustHaveRun, mustNotSee, mustSee, nth, touch } from './expect.ts'
import { HOLD, hold } from './hold.ts'

const FOR_SUBAGENTS = 'SUBAGENT-RULE: report file names only.'
const AT_PROMPT = 'PROMPT-RULE: tasks are written down first.'

/** Waits for the subagents that the last reply started. */
const wait = (request: ModelRequest) => calls(waitFor(startedAgents(request)))

/** Replies of the main agent and, by themselves, of its one subagent. */
function withSubagent(main: Script, sub: Script): Script {
  return (request, turn) => (request.agent === null ? main(request, turn) : sub({ ...request, agent: null }, turn))
}

async function ownPackAndGates(stage: Stage): Promise<void> {
  await stage.place.entry('sub', `---\ntitle: Reports\nwhen:\n  - session: subagent\n---\n${FOR_SUBAGENTS}\n`)
  await stage.place.entry('owners', hold(HOLD))
  const main = inOrder(calls(subagent('Add a file')), wait, calls(touch('b')), calls(touch('b')), say('Done.'))
  const sub = inOrder(calls(touch('a')), calls(touch('a')), say('Added.'))
  await stage.begin(withSubagent(main, sub))
  await stage.play(['Let somebody add a file'])
  const own = stage.model.requests().filter((request) => request.agent !== null)
  const [first, second, third] = own
  must(
    first !== undefined && second !== undefined && third !== undefined,
    `the subagent should have asked three times; it asked ${own.length} times`,
  )
  mustSee(first, FOR_SUBAGENTS)
  mustNotSee(first, HOLD)
  mustBeDenied(second)
  mustSee(second, HOLD)
  mustBeAllowed(third)
  // T9: what the subagent was shown, the main agent has not seen.
  mustNotSee(nth(stage, 2), FOR_SUBAGENTS)
  mustNotSee(nth(stage, 2), HOLD)
  mustBeDenied(nth(stage, 3))
  mustSee(nth(stage, 3), HOLD)
  mustBeAllowed(nth(stage, 4))
  await stage.verdict('sub', 'shown')
  await stage.verdict('owners', 'shown')
}

/** T9: subagents that run side by side are told apart. */
async function subagentsAtOnce(stage: Stage): Promise<void> {
  await stage.place.entry('owners', hold(HOLD))
  const main = inOrder(calls(subagent('Add x'), subagent('Add y')), wait, say('Done.'))
  const turns = new Map<string, number>()
  await stage.begin((request, turn) => {
    if (request.agent === null) return main(request, turn)
    const name = countOf(request, 'Add x') > 0 ? 'x' : 'y'
    const own = turns.get(request.agent) ?? 0
    turns.set(request.agent, own + 1)
    return own < 2 ? calls(touch(name)) : say('Added.')
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

/** T13: what a subagent is told comes as a prompt that nobody typed: no rule for prompts, and no new run. */
async function toldByModel(stage: Stage): Promise<void> {
  await stage.place.entry('tasks', `---\ntitle: Tasks\nwhen:\n  - prompt: task\n---\n${AT_PROMPT}\n`)
  await stage.begin(withSubagent(inOrder(calls(subagent('A task for you')), wait, say('Noted.')), inOrder(say('Helped.'))))
  await stage.play(['Go'])
  const own = stage.model.requests().find((request) => request.agent !== null)
  must(own !== undefined && countOf(own, 'A task for you') === 1, 'the subagent should have been told its task')
  mustNotSee(own, AT_PROMPT)
  const runs = new Set((await stage.server().log()).flatMap((row) => (row.kind === 'prompt' ? [row.run] : [])))
  must(runs.size === 1 && !runs.has(null), `all prompts should belong to one run; they belong to ${runs.size}`)
}

/** In code mode subagents are of another kind: no prompt of theirs is told, and all their calls stand in scripts. */
async function inCodeMode(stage: Stage): Promise<void> {
  await stage.place.entry('sub', `---\ntitle: Reports\nwhen:\n  - session: subagent\n---\n${FOR_SUBAGENTS}\n`)
  await stage.place.entry('owners', hold(HOLD))
  const add = calls(script('await tools.exec_command({cmd: "touch a"}); text("added")'))
  const main = inOrder(calls(subagent('Add a file', 'v2')), calls(waitFor([], 'v2')), say('Done.'))
  await stage.begin(withSubagent(main, inOrder(add, add, say('Added.'))))
  await stage.play(['Let somebody add a file'], { model: CODE_MODEL })
  const [first, second, third] = stage.model.requests().filter((request) => request.agent !== null)
  must(first !== undefined && second !== undefined && third !== undefined, 'the subagent should have asked three times')
  mustSee(first, FOR_SUBAGENTS)
  mustBeDenied(second)
  mustSee(second, HOLD)
  mustBeAllowed(third)
  mustHaveRun(stage, 'a')
  await stage.verdict('sub', 'shown')
  await stage.verdict('owners', 'shown')
}

/** T8: no session start is told of a subagent's compaction: its records tell it. */
async function compacted(stage: Stage): Promise<void> {
  await stage.place.entry('owners', hold(HOLD))
  const full = { ...calls(shell('ls')), inputTokens: NEARLY_FULL_TOKENS }
  const sub = inOrder(calls(touch('a')), calls(touch('a')), full, calls(touch('b')), calls(touch('b')), say('Added.'))
  await stage.begin(withSubagent(inOrder(calls(subagent('Add files')), wait, say('Done.')), sub))
  await stage.play(['Let somebody add files'], { settings: { model_auto_compact_token_limit: COMPACT_ABOVE_TOKENS } })
  const own = stage.model.requests().filter((request) => request.agent !== null && !request.asksForSummary)
  const [, second, , fourth, fifth, sixth] = own
  must(second !== undefined && fourth !== undefined && fifth !== undefined && sixth !== undefined, `the subagent asked ${own.length} times`)
  mustBeDenied(second)
  mustNotSee(fourth, HOLD)
  mustBeDenied(fifth)
  mustSee(fifth, HOLD)
  mustBeAllowed(sixth)
}

export const SUBAGENT_ROWS: readonly Row<Stage>[] = [
  { name: 'T9: a subagent has its own pack and gates', seams: ['subagent-start inject'], run: ownPackAndGates },
  { name: 'T9: two subagents side by side', seams: ['before-tool deny', 'before-tool inject'], run: subagentsAtOnce },
  { name: 'T13: what a subagent is told is no prompt of a person', seams: [], run: toldByModel },
  { name: 'T9: code mode: a subagent has its own pack and gates', seams: ['subagent-start inject'], run: inCodeMode },
  { name: 'T8: compaction of a subagent, the gate is armed again', seams: [], run: compacted },
]
