/**
 * Replies for the OpenCode plugin: `{ delivery, text }` to put in, or `{ delivery, deny }` to throw, with `notice` for the person.
 *
 * The plugin knows where the text goes from the hook that asked. Nothing is sent where it has no place for it.
 */
import type { Moment } from '../../core/moment.ts'
import type { Reply } from '../../core/reply.ts'
import type { HookAnswer } from '../../harness.ts'

/** Hooks whose answer the plugin waits for and can put in. */
const TAKES_TEXT: ReadonlySet<string> = new Set([
  'contextmd.session-start',
  'chat.message',
  'tool.execute.after',
  'experimental.compaction.autocontinue',
])

const EMPTY: HookAnswer = { status: 204 }

export function render(reply: Reply, moment: Moment): HookAnswer {
  switch (reply.kind) {
    case 'nothing':
      return EMPTY
    case 'serve':
      if (!TAKES_TEXT.has(moment.event) || moment.noSeam === true || reply.text === '') return EMPTY
      return { status: 200, body: { delivery: reply.delivery, text: reply.text } }
    case 'deny': {
      if (moment.event !== 'tool.execute.before' || moment.noSeam === true) return EMPTY
      // what is thrown is all that the model gets
      const deny = reply.text === '' ? reply.reason : `${reply.reason}\n${reply.text}`
      return { status: 200, body: { delivery: reply.delivery, deny, ...(reply.notice === '' ? {} : { notice: reply.notice }) } }
    }
    default:
      return reply satisfies never
  }
}
