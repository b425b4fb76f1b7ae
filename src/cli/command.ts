/** What a command of the command line is, and what it is given. One file a command; `main.ts` finds them. */

/** The outside of a command: where it writes and which environment it sees. Tests give their own. */
export interface Io {
  readonly stdout: { write(text: string): unknown }
  readonly stderr: { write(text: string): unknown }
  readonly env: NodeJS.ProcessEnv
  /** True if a person sees stdout: colours are allowed. */
  readonly isTTY?: boolean
  /** Asks the person at the terminal; missing where there is none. */
  readonly ask?: (question: string) => Promise<string>
  /** All that stands in the standard input. */
  readonly input?: () => Promise<string>
}

export interface Command {
  readonly name: string
  /** One line, shown in the list of commands. */
  readonly summary: string
  /** Whole help text: the call first, then its options. Without a final newline. */
  readonly usage: string
  /** `argv` without the command's own name. Gives the exit code. Throws a `CommandError` for what a person can mend. */
  run(argv: string[], io: Io): Promise<number>
}

/** Something a person can mend. Printed as one line; anything else that is thrown is a bug of ours and printed as such. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  /** `usage`: the call was wrong (exit code 64); `failed`: the call was right, the work could not be done (exit code 1). */
  readonly code: 'usage' | 'failed'
  constructor(code: CommandError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
