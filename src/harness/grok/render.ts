/**
 * Replies as Grok Build's hook answers.
 *
 * The answer must be one JSON object and nothing else. A deny drops all context of its call, so none is sent beside it.
 */
import type { Moment } from '../../core/moment.ts'
import type { Reply } from '../../core/reply.ts'
import type { HookAnswer } from '../../harness.ts'
import { isOlder } from './decode.ts'

/** Events whose `additionalContext` reaches the model. At the stop the turn goes on with it. */
const TAKES_CONTEXT: ReadonlySet<string> = new Set(['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'Stop'])
/** The same in versions that tell snake-case names only. */
const OLDER_TAKES_CONTEXT: ReadonlySet<string> = new Set(['stop'])
const BEFORE_TOOL: ReadonlySet<string> = new Set(['PreToolUse', 'pre_tool_use'])

const EMPTY: HookAnswer = { status: 204 }

export function render(reply: Reply, moment: Moment): HookAnswer {
  const { event } = moment
  switch (reply.kind) {
    case 'nothing':
      return EMPTY
    case 'serve': {
      const takesContext = isOlder(moment) ? OLDER_TAKES_CONTEXT : TAKES_CONTEXT
      if (!takesContext.has(event) || reply.text === '') return EMPTY
      return { status: 200, body: { hookSpecificOutput: { hookEventName: event, additionalContext: reply.text } } }
    }
    case 'deny':
      if (!BEFORE_TOOL.has(event)) return EMPTY
      return {
        status: 200,
        body: {
          // the form that every version honours
          decision: 'deny',
          reason: reply.reason,
          // shown to the person, not to the model
          ...(reply.notice === '' ? {} : { systemMessage: reply.notice }),
        },
      }
    default:
      return reply satisfies never
  }
}
