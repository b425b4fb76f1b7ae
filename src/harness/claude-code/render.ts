/**
 * Replies as Claude Code's hook answers.
 *
 * The harness drops an answer whole when `hookEventName` is not the event at hand. Unknown fields are ignored by it; none are sent.
 */
import type { Moment } from '../../core/moment.ts'
import type { Reply } from '../../core/reply.ts'
import type { HookAnswer } from '../../harness.ts'

/**
 * Events whose `additionalContext` reaches the model and costs nothing else. Stop would start another round. What PreCompact and
 * PostCompact print, JSON and all, goes into the summary or the conversation.
 */
const TAKES_CONTEXT: ReadonlySet<string> = new Set([
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
  'SubagentStart',
])

const EMPTY: HookAnswer = { status: 204 }

export function render(reply: Reply, moment: Moment): HookAnswer {
  const { event } = moment
  switch (reply.kind) {
    case 'nothing':
      return EMPTY
    case 'serve':
      if (!TAKES_CONTEXT.has(event) || reply.text === '') return EMPTY
      return { status: 200, body: { hookSpecificOutput: { hookEventName: event, additionalContext: reply.text } } }
    case 'deny':
      if (event !== 'PreToolUse') return EMPTY
      return {
        status: 200,
        body: {
          hookSpecificOutput: {
            hookEventName: event,
            permissionDecision: 'deny',
            permissionDecisionReason: reply.reason,
            // beside the reason: it arrives even when another hook's deny wins (G12)
            ...(reply.text === '' ? {} : { additionalContext: reply.text }),
          },
          // shown to the person, not to the model
          ...(reply.notice === '' ? {} : { systemMessage: reply.notice }),
        },
      }
    default:
      return reply satisfies never
  }
}
