/** Compaction, clear, resume and fork: where rules get lost, or are served twice. */
import { must } from '../../row.ts'
import { AT_PROMPT, HOLD, PACK, usual } from '../entries.ts'
import { mustBeAllowed, mustBeDenied, mustHaveRun, mustNotSee, mustSee, nth, touch } from '../expect.ts'
import { inOrder } from '../model.ts'
import type { Script } from '../model.ts'
import { calls, say } from '../reply.ts'
import type { ModelReply } from '../reply.ts'
import { takesTextAtOnce } from '../stage.ts'
import type { Session, Stage } from '../stage.ts'

/**
 * After an epoch's end: the gate armed again, and the pack again. `first` is the number of the first request after it; the replies from
 * there on are a gated call, the same again, the end.
 */
export async function mustBeServedAgain(stage: Stage, first: number): Promise<void> {
  const isAtOnce = takesTextAtOnce(stage)
  if (isAtOnce) mustSee(nth(stage, first), PACK)
  else mustNotSee(nth(stage, first), PACK)
  mustNotSee(nth(stage, first), HOLD)
  mustBeDenied(stage, first + 1)
  mustSee(nth(stage, first + 1), HOLD)
  mustBeAllowed(stage, first + 2)
  mustSee(nth(stage, first + 2), PACK)
  await stage.verdict('owners', 'shown')
  await stage.verdict('pack', 'shown')
}

/** Two gated calls and an end, twice. */
export function twice(stage: Stage, between: readonly ModelReply[] = [say('Done.')]): Script {
  const [a, b] = [calls(touch(stage, 'a')), calls(touch(stage, 'b'))]
  return inOrder(a, a, ...between, b, b, say('Done.'))
}

export async function manualCompaction(stage: Stage, options: object = {}): Promise<void> {
  await usual(stage)
  await stage.begin(twice(stage))
  const session = await stage.open(options)
  await session.say('Add a file')
  await session.compact()
  await session.say('Add another')
  await session.end()
  mustHaveCompacted(stage)
  mustBeDenied(stage, 1)
  mustBeAllowed(stage, 2)
  await mustBeServedAgain(stage, 3)
  // X5: what hooks print at a compaction, and their address, goes into the conversation: there must be none of ours
  for (const request of stage.model.requests()) mustNotSee(request, '/contextmd/v1/')
}

export function mustHaveCompacted(stage: Stage): void {
  must(
    stage.model.requests().some(({ asksFor }) => asksFor === 'summary'),
    'the program should have compacted',
  )
}

/** A first session with all three entries shown; the next one has a script of its own. */
export async function allShown<Own extends Session>(stage: Stage<object, Own>, options: object = {}): Promise<Own> {
  await usual(stage)
  await stage.begin(inOrder(calls(touch(stage, 'a')), calls(touch(stage, 'a')), say('Done.')))
  const session = await stage.play(['Add a file, then deploy'], options)
  for (const entry of ['owners', 'deploy', 'pack']) await stage.verdict(entry, 'shown')
  stage.model.script(inOrder(calls(touch(stage, 'b')), say('Done.')))
  return session
}

export function mustHoldAllOnce(stage: Stage): void {
  for (const index of [0, 1]) for (const text of [PACK, AT_PROMPT, HOLD]) mustSee(nth(stage, index), text)
  mustBeAllowed(stage, 1)
  mustHaveRun(stage, 'b')
}

/** A second session on top of a first one. */
export async function onTop(stage: Stage, way: 'resume' | 'fork', prompt = 'Add another, then deploy'): Promise<void> {
  const session = await allShown(stage)
  await stage.play([prompt], stage.rig.goOn(way, session.id()))
  mustHoldAllOnce(stage)
}
