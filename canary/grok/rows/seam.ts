/** The seams by themselves, without ContextMD, each at its limit, and the places that are none. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { MomentKind } from '../../../src/core/moment.ts'
import type { Limit } from '../../../src/core/profile.ts'
import { grok } from '../../../src/harness/grok/profile.ts'
import { curlTo, filled, hasArrived, sizes, startBareHook } from '../../kit/bare-hook.ts'
import type { BareAnswer, HookEvent } from '../../kit/bare-hook.ts'
import { mustBeDenied, mustNotHaveRun, mustNotSee, mustSee, nth } from '../../kit/expect.ts'
import { inOrder } from '../../kit/model.ts'
import { calls, say } from '../../kit/reply.ts'
import { must } from '../../row.ts'
import type { Row } from '../../row.ts'
import type { Stage } from '../stage.ts'
import { shell } from '../tools.ts'

/** Events of the program with the moment that each is to us. */
const EVENTS: Readonly<Record<string, MomentKind>> = { PreToolUse: 'before-tool', PostToolUse: 'after-tool', Stop: 'stop' }
/** Events at which the profile claims that no text gets in: when one does, the profile is to be widened. */
const WITHOUT_SEAM = ['SessionStart', 'UserPromptSubmit'] as const

/** The call with this command is denied, with a reason of the greatest length, and a text beside it that must not arrive. */
const DENIED_COMMAND = 'touch denied'
const DROPPED = 'SEAM-DROPPED'

/** Of a text at an event that has no seam: it must not arrive, whatever its length. */
const SHORT: Limit = { unit: 'utf16', max: 200 }

function answerWith(reason: string): (event: HookEvent, number: number) => BareAnswer {
  return (told, number) => {
    const { hook_event_name: event, tool_input } = told
    // once, or the turn would go on for ever; and what is said at the program's end reaches nobody
    const isOver = event === 'Stop' && (told['stopHookActive'] === true || told['reason'] === 'shutdown')
    if (isOver) return { text: null, body: {} }
    if (tool_input?.command === DENIED_COMMAND)
      return { text: null, body: { decision: 'deny', reason, hookSpecificOutput: { additionalContext: DROPPED } } }
    const kind = EVENTS[event]
    const text = filled(`${number} ${event}`, (kind === undefined ? null : grok.seams[kind]?.inject) ?? SHORT)
    return { text, body: { hookSpecificOutput: { hookEventName: event, additionalContext: text } } }
  }
}

async function seams(stage: Stage): Promise<void> {
  const reason = filled('REASON', grok.denyReason ?? SHORT)
  const hook = await startBareHook(answerWith(reason))
  const events = [...Object.keys(EVENTS), ...WITHOUT_SEAM]
  try {
    const hooks = Object.fromEntries(events.map((event) => [event, [{ hooks: [curlTo(hook.url)] }]]))
    await mkdir(join(stage.place.harnessConfig, 'hooks'), { recursive: true })
    await writeFile(join(stage.place.harnessConfig, 'hooks', 'bare.json'), JSON.stringify({ hooks }))
    stage.model.script(inOrder(calls(shell('echo well')), calls(shell(DENIED_COMMAND)), say('Done.'), say('Done again.')))
    await stage.play(['Go'])
    mustBeDenied(stage, 2)
    mustSee(nth(stage, 2), reason)
    mustNotHaveRun(stage, 'denied')
    for (const request of stage.model.requests()) mustNotSee(request, DROPPED)
    for (const event of events)
      must(
        hook.given.some((given) => given.event === event),
        `the program should have told of ${event}`,
      )
    for (const { event, text } of hook.given) {
      const takesText = Object.hasOwn(EVENTS, event)
      must(hasArrived(stage, text) === takesText, `${sizes(text)} at ${event} should ${takesText ? '' : 'not '}have arrived whole`)
    }
  } finally {
    hook.close()
  }
}

export const SEAM_ROWS: readonly Row<Stage>[] = [
  {
    name: 'the seams by themselves, each at its limit',
    seams: ['before-tool inject', 'before-tool deny', 'after-tool inject', 'stop inject'],
    run: seams,
  },
]
