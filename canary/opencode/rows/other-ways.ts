/** The plugin in the other ways to run the program: `opencode acp`, as editors do, and `opencode run`, as scripts do. */
import { AT_PROMPT, HOLD, PACK, plain, usual } from '../../kit/entries.ts'
import { mustBeAllowed, mustBeDenied, mustHaveRun, mustNotHaveRun, mustSee, nth } from '../../kit/expect.ts'
import { inOrder } from '../../kit/model.ts'
import { calls, say } from '../../kit/reply.ts'
import { mustHoldAllOnce } from '../../kit/rows/epoch.ts'
import type { Row, SeamName } from '../../row.ts'
import type { SessionOptions } from '../session.ts'
import type { Stage } from '../stage.ts'
import { shell, touch } from '../tools.ts'

const AFTER = 'AFTER-RULE: this warning is known, open no ticket.'

/** All that is served in one process; and in a second one, which goes on with the session, nothing of it twice. */
async function servedAndGoneOn(stage: Stage, way: NonNullable<SessionOptions['way']>): Promise<void> {
  await usual(stage)
  await stage.place.entry('after', plain('output: deprecated gadget', AFTER))
  const warns = calls(shell('echo "warning: deprecated gadget"'))
  await stage.begin(inOrder(calls(touch('a')), calls(touch('a')), warns, say('Done.')))
  const session = await stage.play(['Add a file, then deploy'], { way })
  for (const text of [PACK, AT_PROMPT]) mustSee(nth(stage, 0), text)
  mustBeDenied(stage, 1)
  mustSee(nth(stage, 1), HOLD)
  mustBeAllowed(stage, 2)
  mustHaveRun(stage, 'a')
  mustSee(nth(stage, 3), AFTER)
  for (const entry of ['pack', 'deploy', 'owners', 'after']) await stage.verdict(entry, 'shown')

  mustNotHaveRun(stage, 'b')
  stage.model.script(inOrder(calls(touch('b')), say('Done.')))
  await stage.play(['Add another, then deploy'], { way, from: { way: 'resume', session: session.id() } })
  mustHoldAllOnce(stage)
}

const SEAMS: readonly SeamName[] = ['session-start inject', 'prompt inject', 'before-tool deny', 'after-tool inject']

const row = (way: NonNullable<SessionOptions['way']>, title: string): Row<Stage> => ({
  name: `${title}: pack, prompt, hold, after a tool; T7: gone on with, nothing is served twice`,
  seams: SEAMS,
  run: (stage) => servedAndGoneOn(stage, way),
})

export const OTHER_WAY_ROWS: readonly Row<Stage>[] = [row('acp', 'ACP'), row('run', 'opencode run')]
