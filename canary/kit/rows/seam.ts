/** The seams by themselves, in harnesses whose hooks are answered as Claude Code's are: a text beside every event, and one denied call. */
import type { MomentKind } from '../../../src/core/moment.ts'
import { filled, mustHaveArrived, startBareHook } from '../bare-hook.ts'
import { mustBeDenied, mustNotHaveRun, mustSee, nth } from '../expect.ts'
import { inOrder } from '../model.ts'
import { calls, say } from '../reply.ts'
import type { Block, ModelReply } from '../reply.ts'
import type { ModelRequest } from '../request.ts'
import { must } from '../../row.ts'
import type { Stage } from '../stage.ts'

/** The call with this command is denied, with a reason and the long text beside it. */
const DENIED_COMMAND = 'touch denied'
const REASON = 'SEAM-REASON: a rule stands before this call'

export interface Seams {
  /** Events of the program with the moment that each is to us. */
  readonly events: Readonly<Record<string, MomentKind>>
  /** Puts a hook that posts to this address into the program's settings, for every event. */
  readonly setUp: (url: string) => Promise<void>
  readonly options: object
  readonly shell: (command: string) => Block
  /** Starts a subagent, and waits for it. */
  readonly subagent: readonly (ModelReply | ((request: ModelRequest) => ModelReply))[]
}

export async function seamsAtLimits(stage: Stage, { events, setUp, options, shell, subagent }: Seams): Promise<void> {
  const hook = await startBareHook(({ hook_event_name: event, tool_input }, number) => {
    const isDenied = event === 'PreToolUse' && tool_input?.command === DENIED_COMMAND
    const deny = isDenied ? { permissionDecision: 'deny', permissionDecisionReason: REASON } : {}
    const kind = events[event]
    const limit = kind === undefined ? null : (stage.rig.profile.seams[kind]?.inject ?? null)
    must(limit !== null, `the profile claims no seam at ${event}`)
    const text = filled(`${number} ${event}`, limit)
    return { text, body: { hookSpecificOutput: { hookEventName: event, additionalContext: text, ...deny } } }
  })
  try {
    await setUp(hook.url)
    const commands = ['echo well', 'ls missing-folder', DENIED_COMMAND]
    stage.model.script(inOrder(...commands.map((command) => calls(shell(command))), ...subagent, say('Done.')))
    await stage.play(['Go'], options)
    mustBeDenied(stage, 3)
    mustSee(nth(stage, 3), REASON)
    mustNotHaveRun(stage, 'denied')
    mustHaveArrived(stage, hook, Object.keys(events))
  } finally {
    hook.close()
  }
}
