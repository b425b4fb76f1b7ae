/** Reading of JSON values that came from outside, with what is Codex's own: the blocks of its texts. */
import { listIn, objectIn } from '../json.ts'

export { isObject, listIn, objectIn, textIn, type Json } from '../json.ts'

const TEXT_BLOCKS: ReadonlySet<unknown> = new Set(['text', 'input_text', 'output_text'])

/** The texts of a message, of a result, or of an MCP server's answer: a string, or blocks. */
export function textsOf(content: unknown): readonly string[] {
  if (typeof content === 'string') return [content]
  return listIn(content).flatMap((block) => {
    const { type, text } = objectIn(block)
    return TEXT_BLOCKS.has(type) && typeof text === 'string' ? [text] : []
  })
}
