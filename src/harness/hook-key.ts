/**
 * The key that a hook of type `mcp_tool` carries in its input.
 *
 * A model that can see the hook's tool could call it like any other; it does not know the key, and a call without it is answered with
 * nothing. The key follows from the hooks' token, so that there is nothing more to keep: whoever shows the token can be asked for it.
 */
import { createHash, timingSafeEqual } from 'node:crypto'

/** Characters of the key: 128 bits and a little more. */
const KEY_LENGTH = 22

export function hookKeyOf(token: string): string {
  return createHash('sha256').update(`contextmd hook key\n${token}`).digest('base64url').slice(0, KEY_LENGTH)
}

/** Takes the same time whatever it finds. */
export function isHookKey(given: unknown, token: string): boolean {
  const wanted = Buffer.from(hookKeyOf(token))
  const shown = Buffer.from(typeof given === 'string' ? given : '')
  return shown.length === wanted.length && timingSafeEqual(shown, wanted)
}
