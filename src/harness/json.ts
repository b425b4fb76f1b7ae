/** Reading of JSON values that came from outside: a wrong type is the same as a missing value. */

export type Json = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An object, or an empty one. */
export function objectIn(value: unknown): Json {
  return isObject(value) ? value : {}
}

/** A text that is not empty, or null. */
export function textIn(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

/** A text that is a version of a program, and short; else null. */
export function versionText(value: unknown): string | null {
  return typeof value === 'string' && /^\d+\.\d+\.\d+[\w.+-]{0,30}$/.test(value) ? value : null
}

export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The texts of a message's content: a string, or blocks of type `text`. */
export function textsOf(content: unknown): readonly string[] {
  if (typeof content === 'string') return [content]
  return listIn(content).flatMap((block) => {
    const { type, text } = objectIn(block)
    return type === 'text' && typeof text === 'string' ? [text] : []
  })
}
