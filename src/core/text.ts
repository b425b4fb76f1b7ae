/** Sizes of text in the units that harnesses count in. */
import type { Limit } from './profile.ts'

/** UTF-8 bytes, as `TextEncoder` would write them (a lone surrogate counts three). */
export function bytesOf(text: string): number {
  let bytes = 0
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit < 0x80) bytes += 1
    else if (unit < 0x800) bytes += 2
    else if (unit >= 0xd800 && unit < 0xdc00 && isLow(text.charCodeAt(at + 1))) {
      bytes += 4
      at += 1
    } else bytes += 3
  }
  return bytes
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000
}

/** Size in the unit of a limit. */
export function sizeIn(unit: Limit['unit'], text: string): number {
  return unit === 'utf16' ? text.length : bytesOf(text)
}

/** At most so many bytes of a text, cut between characters, with an ellipsis where something was cut. */
export function clipToBytes(text: string, max: number): string {
  if (bytesOf(text) <= max) return text
  const room = max - bytesOf('…')
  if (room < 0) return ''
  let clipped = ''
  let used = 0
  for (const character of text) {
    used += bytesOf(character)
    if (used > room) break
    clipped += character
  }
  return `${clipped}…`
}
