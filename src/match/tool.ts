/**
 * Tool names of an entry: canonical ones (`shell`, `read`, `mcp:SERVER/TOOL`), or the harness's own. Case does not count, `*` is any run
 * of characters; `mcp:SERVER` alone is every tool of that server.
 */
import type { ToolCall } from '../core/moment.ts'

export type ToolPattern = (call: ToolCall) => boolean

export function toolPattern(pattern: string): ToolPattern {
  const wanted = pattern.trim().toLowerCase()
  const whole = /^mcp:[^/]+$/.test(wanted) ? `${wanted}/*` : wanted
  return (call) => isLike(whole, call.tool.toLowerCase()) || isLike(whole, call.harnessTool.toLowerCase())
}

/** Wildcards in linear time: each piece is taken at its first place. */
export function isLike(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return text === first
  if (!text.startsWith(first)) return false
  let at = first.length
  for (const piece of rest) {
    const found = text.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}
