/** The other ways to run the program: `opencode acp`, as editors do, and `opencode run`, a process a prompt, as scripts do. */
import { spawn } from 'node:child_process'
import { openAcp } from '../kit/acp.ts'
import type { Session as KitSession } from '../kit/stage.ts'
import { PROMPT_TIMEOUT_MS, type Session } from './session.ts'

const MAX_OUTPUT_CHARS = 4_000

export interface OtherWay {
  readonly way: 'acp' | 'run'
  readonly program: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** A session to go on with. */
  readonly resumed: string | null
}

export function openOtherWay({ way, program, cwd, env, resumed }: OtherWay): Session {
  const none = (): Promise<never> => Promise.reject(new Error(`opencode ${way} has no way to do that`))
  const more = { post: none, command: none, undo: none }
  if (way === 'run') return { ...runs(program, cwd, env, resumed), ...more }
  return { ...openAcp({ program, args: ['acp'], cwd, env, ...(resumed === null ? {} : { load: resumed }) }), ...more }
}

function runs(program: string, cwd: string, env: Readonly<Record<string, string>>, resumed: string | null): KitSession {
  let session = resumed ?? ''
  return {
    id: () => session,
    notices: () => [],
    compact: () => Promise.reject(new Error('opencode run has no way to compact')),
    async say(prompt) {
      const output = await printed(
        program,
        ['run', '--format', 'json', ...(session === '' ? [] : ['--session', session]), prompt],
        cwd,
        env,
      )
      const told = /"sessionID":"([^"]+)"/.exec(output)?.[1]
      if (told === undefined) throw new Error(`opencode run told no session: ${output.slice(-MAX_OUTPUT_CHARS)}`)
      session = told
    },
    end: async () => {},
  }
}

/** Throws with what it printed when it fails or takes too long. */
async function printed(program: string, args: readonly string[], cwd: string, env: Readonly<Record<string, string>>): Promise<string> {
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: PROMPT_TIMEOUT_MS, killSignal: 'SIGKILL' })
  let output = ''
  const keep = (chunk: Buffer): void => void (output += chunk.toString('utf8'))
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const code = await new Promise<number | null>((resolve) => {
    child.on('error', () => resolve(null))
    child.on('close', resolve)
  })
  if (code !== 0) throw new Error(`opencode ${args[0]} ended with exit code ${code}: ${output.slice(-MAX_OUTPUT_CHARS)}`)
  return output
}
