/** A process of our own that runs one of the scripts beside this file and talks in lines. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

export interface Child {
  /** The next line of its output; null when it has ended. */
  line(): Promise<string | null>
  /** Gives it a line of input, and waits for the next line of its output. */
  ask(line: string): Promise<string | null>
  /** Tells it to end by closing its input. Resolves when it has. */
  end(): Promise<void>
  /** kill -9. Resolves when it is gone. */
  kill(): Promise<void>
}

/** `before` is a program, with arguments, that runs the script: `setpriv …`. */
export function startChild(script: string, args: readonly string[], before: readonly string[] = []): Child {
  const path = fileURLToPath(new URL(script, import.meta.url))
  const [program = process.execPath, ...rest] = [...before, process.execPath, path, ...args]
  const child = spawn(program, rest, { stdio: ['pipe', 'pipe', 'inherit'] })
  const gone = once(child, 'close')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  onTestFinished(() => void child.kill('SIGKILL'))
  async function line(): Promise<string | null> {
    const next = await lines.next()
    return next.done === true ? null : next.value
  }
  return {
    line,
    ask(told) {
      child.stdin.write(`${told}\n`)
      return line()
    },
    async end() {
      child.stdin.end()
      await gone
    },
    async kill() {
      child.kill('SIGKILL')
      await gone
    },
  }
}
