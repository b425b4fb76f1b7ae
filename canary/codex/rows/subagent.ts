/** Subagents of Codex: what they are told comes as a prompt, in code mode they are of another kind, and they compact by themselves. */
import { HOLD, hold, plain } from '../../kit/entries.ts'
import { mustBeAllowed, mustBeDenied, mustHaveRun, mustNotSee, mustSee } from '../../kit/expect.ts'
import { inOrder, withSubagent } from '../../kit/model.ts'
import { calls, say } from '../../kit/reply.ts'
import { countOf } from '../../kit/request.ts'
import { mustBeOneRun } from '../../kit/rows/subagent.ts'
import { must } from '../../row.ts'
import type { Row } from '../../row.ts'
import { CODE_MODEL } from '../session.ts'
import type { Stage } from '../stage.ts'
import { awaited, script, shell, subagent, touch } from '../tools.ts'
import { COMPACT_ABOVE_TOKENS, NEARLY_FULL_TOKENS } from './epoch.ts'

const FOR_SUBAGENTS = 'SUBAGENT-RULE: report file names only.'
const AT_TASK = 'TASK-RULE: tasks are written down first.'

/** T13: what a subagent is told comes as a prompt that nobody typed: no rule for prompts, and no new run. */
async function toldByModel(stage: Stage): Promise<void> {
  await stage.place.entry('tasks', plain('prompt: task', AT_TASK))
  await stage.begin(
    withSubagent(
      inOrder(calls(subagent('A task for you')), (request) => awaited(request), say('Noted.')),
      inOrder(say('Helped.')),
    ),
  )
  await stage.play(['Go'])
  const [own] = stage.subagents()
  must(own !== undefined && countOf(own, 'A task for you') === 1, 'the subagent should have been told its task')
  mustNotSee(own, AT_TASK)
  await mustBeOneRun(stage)
}

/** In code mode subagents are of another kind: no prompt of theirs is told, and all their calls stand in scripts. */
async function inCodeMode(stage: Stage): Promise<void> {
  await stage.place.entry('sub', plain('session: subagent', FOR_SUBAGENTS))
  await stage.place.entry('owners', hold(HOLD))
  const add = calls(script('await tools.exec_command({cmd: "touch a"}); text("added")'))
  const main = inOrder(calls(subagent('Add a file', 'v2')), (request) => awaited(request, 'v2'), say('Done.'))
  await stage.begin(withSubagent(main, inOrder(add, add, say('Added.'))))
  await stage.play(['Let somebody add a file'], { model: CODE_MODEL })
  const [first, second, third] = stage.subagents()
  must(first !== undefined && second !== undefined && third !== undefined, 'the subagent should have asked three times')
  mustSee(first, FOR_SUBAGENTS)
  mustBeDenied(stage, second)
  mustSee(second, HOLD)
  mustBeAllowed(stage, third)
  mustHaveRun(stage, 'a')
  await stage.verdict('sub', 'shown')
  await stage.verdict('owners', 'shown')
}

/** T8: no session start is told of a subagent's compaction: its records tell it. */
async function compacted(stage: Stage): Promise<void> {
  await stage.place.entry('owners', hold(HOLD))
  const full = { ...calls(shell('ls')), inputTokens: NEARLY_FULL_TOKENS }
  const sub = inOrder(calls(touch('a')), calls(touch('a')), full, calls(touch('b')), calls(touch('b')), say('Added.'))
  await stage.begin(
    withSubagent(
      inOrder(calls(subagent('Add files')), (request) => awaited(request), say('Done.')),
      sub,
    ),
  )
  await stage.play(['Let somebody add files'], { settings: { model_auto_compact_token_limit: COMPACT_ABOVE_TOKENS } })
  const own = stage.subagents()
  const [, second, , fourth, fifth, sixth] = own
  must(second !== undefined && fourth !== undefined && fifth !== undefined && sixth !== undefined, `the subagent asked ${own.length} times`)
  mustBeDenied(stage, second)
  mustNotSee(fourth, HOLD)
  mustBeDenied(stage, fifth)
  mustSee(fifth, HOLD)
  mustBeAllowed(stage, sixth)
}

export const SUBAGENT_ROWS: readonly Row<Stage>[] = [
  { name: 'T13: what a subagent is told is no prompt of a person', seams: [], run: toldByModel },
  { name: 'T9: code mode: a subagent has its own pack and gates', seams: ['subagent-start inject'], run: inCodeMode },
  { name: 'T8: compaction of a subagent, the gate is armed again', seams: [], run: compacted },
]
