/**
 * Answers about the latest lines: one command is looked at before its call, after it and again in the harness's records.
 *
 * The answers are shared, so nobody may change them.
 */

/** Calls of a wave, with room to spare. */
const MOST_KEPT = 64
/** Characters of what is asked about. A longer line holds a whole file: it is looked at anew, so that little memory is held. */
const MAX_KEPT_LENGTH = 4_096
/** Words or paths of one answer. Braces make a thousand times as many of a short line. */
const MAX_KEPT_SIZE = 500

/** `ask`: the same answer for the same texts, whenever it is asked. `sizeOf`: how many words or paths an answer holds. */
export function rememberLatest<T>(
  ask: (...texts: readonly string[]) => T,
  sizeOf: (answer: T) => number,
): (...texts: readonly string[]) => T {
  const kept = new Map<string, { readonly answer: T }>()
  return (...texts) => {
    // no text can look like two
    const key = JSON.stringify(texts)
    const known = kept.get(key)
    if (known !== undefined) return known.answer
    const answer = ask(...texts)
    if (key.length > MAX_KEPT_LENGTH || sizeOf(answer) > MAX_KEPT_SIZE) return answer
    kept.set(key, { answer })
    const oldest = kept.keys().next().value
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest)
    return answer
  }
}
