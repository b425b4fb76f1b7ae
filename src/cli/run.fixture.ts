/** Runs the command line in this process and keeps what it printed. */
import { runCommandLine } from './run.ts'

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

export async function run(
  argv: readonly string[],
  env: NodeJS.ProcessEnv = {},
  isTTY = false,
  onOut: (text: string) => void = () => {},
): Promise<Ran> {
  let out = ''
  let err = ''
  const write = (text: string) => {
    out += text
    onOut(text)
  }
  const stdout = { write }
  const stderr = { write: (text: string) => (err += text) }
  const code = await runCommandLine(argv, { stdout, stderr, env, isTTY })
  return { code, out, err }
}
