/** Nobody has started a server: the session does, and what follows is served, in it and in the next one. */
import { environmentOf } from '../../autostarted.ts'
import { must } from '../../row.ts'
import { AT_PROMPT, HOLD, PACK, usual } from '../entries.ts'
import { mustBeAllowed, mustBeDenied, mustHaveRun, mustSee, nth, touch } from '../expect.ts'
import { inOrder } from '../model.ts'
import { calls, say } from '../reply.ts'
import type { Stage } from '../stage.ts'

export async function startedBySession(stage: Stage, options: object = {}): Promise<void> {
  const [first, a, b] = ['first', 'a', 'b'].map((name) => calls(touch(stage, name)))
  must(first !== undefined && a !== undefined && b !== undefined, 'there are three calls')
  await stage.begin(inOrder(first, say('Done.'), a, a, say('Done.')), { autostart: true })
  const session = await stage.open(options)
  await session.say('Add a file')
  mustBeAllowed(stage, 1)
  mustHaveRun(stage, 'first')

  const server = await stage.autostarted()
  // not before: whether the first call came before the server or after it is for the machine to say
  await usual(stage)
  await session.say('Add another, then deploy')
  await session.end()
  mustBeDenied(stage, 3)
  mustSee(nth(stage, 3), HOLD)
  mustBeAllowed(stage, 4)
  mustSee(nth(stage, 4), AT_PROMPT)
  mustHaveRun(stage, 'a')

  const pid = await server.pid()
  await mustBeClean(stage, pid)
  // the next session finds it: the first one is over, and it was nobody's child
  stage.model.script(inOrder(b, b, say('Done.')))
  await stage.play(['Add a file, then deploy'], options)
  mustBeDenied(stage, 1)
  mustSee(nth(stage, 1), HOLD)
  mustBeAllowed(stage, 2)
  for (const text of [PACK, AT_PROMPT]) mustSee(nth(stage, 2), text)
  mustHaveRun(stage, 'b')
  await stage.verdict('owners', 'shown')
  must((await (await stage.autostarted()).pid()) === pid, 'the second session should have found the server of the first')
}

/** Nothing of the agent's environment is in the server's: no keys, no addresses. */
async function mustBeClean(stage: Stage, pid: number): Promise<void> {
  const environment = await environmentOf(stage.place, pid)
  if (environment === null) return
  const foreign = environment.has.filter((name) => !environment.wanted.has(name))
  must(foreign.length === 0, `the server should have the environment of the setup; it has these as well: ${foreign.join(', ')}`)
}
