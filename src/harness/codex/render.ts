/**
 * Replies as Codex's hook answers.
 *
 * The parser is strict: one unknown key, `suppressOutput`, or an empty reason, and the whole answer counts as none (0.171.0, measured).
 */
import type { Moment } from '../../core/moment.ts'
import type { Reply } from '../../core/reply.ts'
import type { HookAnswer } from '../../harness.ts'

/** Events whose `additionalContext` reaches the model and costs nothing else. */
const TAKES_CONTEXT: ReadonlySet<string> = new Set(['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'SubagentStart'])

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
            // the harness puts a full stop behind it, and then the whole command
            permissionDecisionReason: reply.reason.replace(/\.$/, ''),
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
