/** A text as a part of a person's message. */
import type { Part, TextPart } from './api.ts'

/** The program sends the parts of a message in the order of their ids: 16 characters of time and counter, then chance. */
const TIME_CHARS = 16
const ID_CHARS = 30

/**
 * A part that stands behind all of `parts`, and behind those that were made so before: same time as the last one, then `z`s, then a
 * number. Without an id of its own the prompt fails and leaves half a message behind.
 */
export function partAfter(
  parts: readonly Part[],
  message: { readonly id: string; readonly sessionID: string },
  text: string,
  delivery: string,
): TextPart {
  const ids = parts.flatMap(({ id }) => (id === undefined ? [] : [id])).toSorted()
  const last = ids.at(-1) ?? `prt_${message.id.replace(/^msg_/, '')}`
  const base = last.slice(0, TIME_CHARS).padEnd(TIME_CHARS, '0')
  const count = ids.filter((id) => id.startsWith(`${base}zzzz`)).length
  const id = `${base}${String(count)
    .padStart(3, '0')
    .padStart(ID_CHARS - TIME_CHARS, 'z')}`
  return {
    id,
    sessionID: message.sessionID,
    messageID: message.id,
    type: 'text',
    text,
    // hidden from the person, who typed something else; the model gets it
    synthetic: true,
    metadata: { contextmd: { delivery } },
  }
}

/** True for a message that the plugin itself sent. */
export function isOurs(parts: readonly Part[]): boolean {
  return parts.length > 0 && parts.every(({ metadata }) => metadata?.contextmd !== undefined)
}
