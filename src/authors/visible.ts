/** Text as a person must see it before they trust it: characters that hide, reorder or colour what stands there are written out. */

/** Control characters but tab and line feed, zero-width and bidirectional ones, and the tags that no screen shows. */
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu

export function visible(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(HIDDEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
}
