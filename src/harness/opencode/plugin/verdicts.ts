/**
 * Verdicts on what was handed over, by what the model is sent.
 *
 * The program shows a plugin each conversation before it goes out, read back from its own storage. A text is shown when it stands whole
 * at its place in one, and the model has then written something. Kept is what was handed over and not yet judged, nothing else.
 */
import type { Message, Part } from './api.ts'
import { remember } from './bounded.ts'

/** Texts that wait for their verdict. */
const MAX_OPEN = 500

export type Verdict = 'shown' | 'hidden' | 'cut'

export type Place = { readonly kind: 'message' } | { readonly kind: 'call'; readonly call: string }

interface Handed {
  readonly session: string
  readonly text: string
  readonly place: Place
  /** What the latest conversation held of it; null: not its place. */
  found: Verdict | null
}

export interface Judged {
  readonly delivery: string
  readonly verdict: Verdict
}

export class Verdicts {
  readonly #open = new Map<string, Handed>()
  /** By session: messages of the model in the conversation that went out last. An answer is none of them. */
  readonly #sent = new Map<string, ReadonlySet<string>>()

  handed(delivery: string, session: string, text: string, place: Place): void {
    remember(this.#open, delivery, { session, text, place, found: null }, MAX_OPEN)
  }

  /** This conversation is about to be sent. */
  outgoing(session: string, messages: readonly Message[]): void {
    const ids = messages.flatMap(({ info }) => (info.role === 'assistant' && info.id !== undefined ? [info.id] : []))
    remember(this.#sent, session, new Set(ids), MAX_OPEN)
    for (const handed of this.#open.values()) if (handed.session === session) handed.found = foundIn(messages, handed)
  }

  /** The model has written something into this message. Gives what is decided by that, each once. */
  answered(session: string, message: string): readonly Judged[] {
    const sent = this.#sent.get(session)
    if (sent === undefined || sent.has(message)) return []
    const judged = [...this.#open].flatMap(([delivery, { session: own, found }]): Judged[] =>
      own === session && found !== null ? [{ delivery, verdict: found }] : [],
    )
    for (const { delivery } of judged) this.#open.delete(delivery)
    return judged
  }
}

function foundIn(messages: readonly Message[], { text, place }: Handed): Verdict | null {
  if (place.kind === 'message') {
    const stands = messages.some(
      ({ info, parts }) => info.role === 'user' && parts.some((part) => part.type === 'text' && part.text === text),
    )
    // its message may have been compacted away: then nothing can be said here
    return stands ? 'shown' : null
  }
  const result = resultOf(messages, place.call)
  if (result === null) return null
  if (result.includes(text)) return 'shown'
  return result.includes(text.slice(0, 80)) ? 'cut' : 'hidden'
}

/** What the model gets for a call; null while it is not finished, or not in the conversation. */
function resultOf(messages: readonly Message[], call: string): string | null {
  for (const { parts } of messages.toReversed()) {
    const part: Part | undefined = parts.find((one) => one.type === 'tool' && one.callID === call)
    if (part?.state?.status === 'completed') return part.state.output ?? ''
    if (part?.state?.status === 'error') return part.state.error ?? ''
  }
  return null
}
