/**
 * Questions to the person at the terminal.
 *
 * One reader for all of them: a new one for each question would take every line that was typed ahead, use the first and lose the rest.
 * The terminal's own line editing is left on, so that Ctrl+C ends the command between two questions as it always does.
 */
import { createInterface, type Interface } from 'node:readline'
import { CommandError, type Io } from './command.ts'

/** Throws a `CommandError` where no answer can come any more (Ctrl+D, the end of the input): silence is no yes. Nothing is read before a question. */
export function openAsk(input: NodeJS.ReadableStream, output: Io['stderr']): (question: string) => Promise<string> {
  const lines: string[] = []
  let reader: Interface | null = null
  let isEnded = false
  let waiting: (() => void) | null = null

  const wake = (): void => {
    waiting?.()
    waiting = null
  }
  const open = (): Interface => {
    const opened = createInterface({ input, terminal: false })
    opened.on('line', (line) => {
      lines.push(line)
      wake()
    })
    opened.on('close', () => {
      isEnded = true
      wake()
    })
    return opened
  }

  return async (question) => {
    output.write(question)
    reader ??= open()
    if (lines.length === 0 && !isEnded) {
      reader.resume()
      await new Promise<void>((resolve) => (waiting = resolve))
    }
    // an input that is read on would keep the process alive
    if (!isEnded) reader.pause()
    const answer = lines.shift()
    if (answer !== undefined) return answer.trim()
    output.write('\n')
    throw new CommandError('failed', 'the input has ended without an answer: nothing was done')
  }
}
