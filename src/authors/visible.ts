/** Text as a person must see it before they trust it: characters that hide, reorder or colour what stands there are written out. */

/** Control characters but tab and line feed, zero-width and bidirectional ones, and the tags that no screen shows. */
const HIDDEN = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Variation_Selector}]/gu

export function visible(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(HIDDEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
}
