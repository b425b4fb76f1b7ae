/** What a service manager is asked to run. */
import type { Program } from './program.ts'

export interface ServiceWish {
  readonly program: Program
  /** Arguments of our command line. */
  readonly args: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  /** File for what the program says before it can write its own log. */
  readonly log: string
}

/** What a file of ours says that the manager runs. */
export interface Installed {
  /** Null: it was changed by hand, and can't be told. */
  readonly launcher: string | null
  readonly environment: Readonly<Record<string, string>>
}

/** Stands in each file that we write, so that it is known for ours. */
export const MARK = 'Written by "contextmd service install"; "contextmd service remove" deletes it.'
