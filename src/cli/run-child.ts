/** Runs a command in our place: its input and output are ours, signals reach it, its end is ours. */
import { spawn, type ChildProcess } from 'node:child_process'
import { constants } from 'node:os'
import type { Io } from './command.ts'

/** As a shell tells them. */
const NOT_FOUND = 127
const NOT_RUNNABLE = 126
const BY_SIGNAL = 128

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const
/** A terminal sends these to the command itself as well; two of them mean something else to some agents. */
const FROM_TERMINAL: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGQUIT'])

/** Resolves with the exit code, as a shell would tell it. */
export function runChild([program, ...args]: readonly [string, ...string[]], env: NodeJS.ProcessEnv, io: Io): Promise<number> {
  return new Promise((resolve) => {
    const isTerminal = process.stdin.isTTY === true
    let child: ChildProcess | null = null
    const passOn = (signal: NodeJS.Signals): void => {
      if (!(isTerminal && FROM_TERMINAL.has(signal))) child?.kill(signal)
    }
    const end = (code: number): void => {
      for (const signal of SIGNALS) process.off(signal, passOn)
      resolve(code)
    }
    // before it lives: who sees its first output may send one at once
    for (const signal of SIGNALS) process.on(signal, passOn)
    child = spawn(program, args, { env, stdio: 'inherit' })
    child.once('error', (error: NodeJS.ErrnoException) => {
      io.stderr.write(`contextmd: ${program} can't be run (${error.code ?? error.message})\n`)
      end(error.code === 'ENOENT' ? NOT_FOUND : NOT_RUNNABLE)
    })
    child.once('exit', (code, signal) => end(code ?? BY_SIGNAL + (signal === null ? 0 : constants.signals[signal])))
  })
}
