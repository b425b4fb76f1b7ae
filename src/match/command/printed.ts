/** The text that a command prints, where it can be told: what `echo … | sh` and `cat <<EOF | sh` run. */
import type { CommandNode } from 'unbash'
import { resolveWord } from './word.ts'

export function printedText(node: CommandNode | undefined): string | null {
  if (node?.type !== 'Command') return null
  const program = node.name?.value
  if (program === 'cat' && node.args.length === 0) {
    const heredoc = node.redirects.find((redirect) => redirect.type === 'HereDoc')
    return heredoc?.body.text ?? null
  }
  if (program !== 'echo' && program !== 'printf') return null
  const words = node.args.flatMap((arg) => (arg.type === 'Word' ? resolveWord(arg) : []))
  const text = words
    .filter((word, at) => !(at === 0 && /^-[neE]+$/.test(word.value)))
    .map((word) => word.shown)
    .join(' ')
  return text.replaceAll('\\n', '\n')
}
