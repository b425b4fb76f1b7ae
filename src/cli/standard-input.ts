/** What is piped into the command line. */
import type { Readable } from 'node:stream'

/** A credential, alone or in the JSON that holds it. */
const MAX_INPUT_CHARS = 64 * 1024

/** All of it; of more than 64 KB the beginning, and the rest is not read. */
export async function readInput(stream: Readable): Promise<string> {
  let text = ''
  for await (const part of stream.setEncoding('utf8')) {
    text += String(part)
    // leaving the loop closes the stream: whoever writes on is told so
    if (text.length > MAX_INPUT_CHARS) return text.slice(0, MAX_INPUT_CHARS)
  }
  return text
}
