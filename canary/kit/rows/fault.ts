/** Something is missing, off or slow: the agent works on, and what can be served is. */
import { until } from '../../contextmd.ts'
import { must } from '../../row.ts'
import { AT_PROMPT, HOLD, PACK, usual } from '../entries.ts'
import { mustBeAllowed, mustBeDenied, mustHaveRun, mustNotSee, mustSee, nth, touch } from '../expect.ts'
import { inOrder } from '../model.ts'
import { calls, say } from '../reply.ts'
import { takesTextAtOnce } from '../stage.ts'
import type { Session, Stage } from '../stage.ts'
import { mustSeeFrom } from './beside.ts'

/**
 * Short enough to run out while the server stands still; longer than a held call waits for proof afterwards, which with the patience of a
 * server under test is 2 s (250 ms in use, where hooks have 1 s).
 */
const SHORT_TIMEOUT_S = '4'
/** Missed moments are read from the records, in the background, or told by the hook with the next moment. */
const COUNTED_WITHIN_MS = 10_000

/** Pack, prompt and hold in one session, all proven: a way in or a way to run that is not the usual one. `between`: after the setup. */
export async function servedAll(
  stage: Stage,
  options: object = {},
  setup?: readonly string[],
  between?: () => Promise<void>,
): Promise<void> {
  await usual(stage)
  const add = calls(touch(stage, 'a'))
  await stage.begin(inOrder(add, add, say('Done.')), setup === undefined ? {} : { setup })
  await between?.()
  await stage.play(['Add a file, then deploy'], options)
  if (takesTextAtOnce(stage)) for (const text of [PACK, AT_PROMPT]) mustSeeFrom(stage, 0, text)
  mustBeDenied(stage, 1)
  mustSee(nth(stage, 1), HOLD)
  mustBeAllowed(stage, 2)
  for (const text of [PACK, AT_PROMPT]) mustSee(nth(stage, 2), text)
  for (const entry of ['pack', 'deploy', 'owners']) await stage.verdict(entry, 'shown')
}

/** G18: without records nothing can be proven: the gate is assumed lifted. */
export async function noRecords(stage: Stage, options: object): Promise<void> {
  await usual(stage)
  const add = calls(touch(stage, 'a'))
  await stage.begin(inOrder(add, add, say('Done.')))
  await stage.play(['Add a file'], options)
  mustSee(nth(stage, 0), PACK)
  mustBeDenied(stage, 1)
  mustSee(nth(stage, 1), HOLD)
  mustBeAllowed(stage, 2)
  mustHaveRun(stage, 'a')
}

/** The session goes on as if we were not there: nothing of us in what the model sees, no call stopped. */
function mustBeUntouched(stage: Stage): void {
  mustBeAllowed(stage, 1)
  mustHaveRun(stage, 'a')
  for (const text of [PACK, AT_PROMPT, HOLD, 'ContextMD', stage.rig.traits.deniedWords]) mustNotSee(nth(stage, 1), text)
}

export async function serverDown(stage: Stage): Promise<void> {
  await usual(stage)
  await stage.begin(inOrder(calls(touch(stage, 'a')), say('Done.')), { startServer: false })
  await stage.play(['Add a file, then deploy'])
  mustBeUntouched(stage)
}

export async function switchedOff(stage: Stage): Promise<void> {
  await usual(stage)
  await stage.begin(inOrder(calls(touch(stage, 'a')), say('Done.')))
  await stage.play(['Add a file, then deploy'], stage.rig.withEnv({ CONTEXTMD_OFF: '1' }))
  mustBeUntouched(stage)
}

/** S8: hooks that time out let the call pass, and are counted where the records or the hook itself tell of them. */
export async function serverSlow(stage: Stage, options: object = {}): Promise<void> {
  await usual(stage)
  const [a, b] = [calls(touch(stage, 'a')), calls(touch(stage, 'b'))]
  const script = inOrder(say('Hello.'), a, say('Done.'), b, b, say('Done.'))
  await stage.begin(script, { setupEnv: { CONTEXTMD_HOOK_TIMEOUT: SHORT_TIMEOUT_S } })
  const session = await stage.open(options)
  await session.say('Hello')
  await whileServerStandsStill(stage, session, 'Add a file, then deploy')
  mustBeAllowed(stage, 2)
  mustHaveRun(stage, 'a')
  await session.say('Add another')
  await session.end()
  mustBeDenied(stage, 4)
  mustSee(nth(stage, 4), HOLD)
  mustBeAllowed(stage, 5)
  if (!stage.rig.traits.countsMissed) return
  const isCounted = async (): Promise<boolean> => {
    const { counters = {} } = await stage.server().health()
    return Object.entries(counters).some(([name, count]) => /timed.out/.test(name) && count > 0)
  }
  const isTold = await until(isCounted, COUNTED_WITHIN_MS)
  must(isTold, `health should count the hooks that timed out: ${JSON.stringify((await stage.server().health()).counters)}`)
}

/** A process that stands still is the slowest there is: the kernel takes the connection, nobody answers. */
async function whileServerStandsStill(stage: Stage, session: Session, prompt: string): Promise<void> {
  const pid = await stage.server().pid()
  process.kill(pid, 'SIGSTOP')
  try {
    await session.say(prompt)
  } finally {
    process.kill(pid, 'SIGCONT')
  }
}

/** S14: a session that started without the server is served from its next moment on, the pack too. */
export async function startedLate(stage: Stage, options: object = {}): Promise<void> {
  await usual(stage)
  const add = calls(touch(stage, 'a'))
  await stage.begin(inOrder(say('Hello.'), add, add, say('Done.')), { startServer: false })
  const session = await stage.open(options)
  await session.say('Hello')
  await stage.startServer()
  await session.say('Add a file, then deploy')
  await session.end()
  mustNotSee(nth(stage, 0), PACK)
  if (takesTextAtOnce(stage)) mustSee(nth(stage, 1), AT_PROMPT)
  mustBeDenied(stage, 2)
  mustSee(nth(stage, 2), HOLD)
  mustBeAllowed(stage, 3)
  for (const text of [PACK, AT_PROMPT]) mustSee(nth(stage, 3), text)
  await stage.verdict('pack', 'shown')
}
