/** The ways in which a harness's hook reaches the server by a command, run as a harness runs one: `sh -c`, the event on stdin. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { HarnessName } from '../src/core/id.ts'
import { HOOK_SCRIPT, HOOK_SCRIPT_FOR_NODE } from '../src/install/hook.ts'
import { writeHookFiles } from '../src/install/hook-scripts.ts'
import { MOMENT_PATH, type Place } from './place.ts'

export interface HookRun {
  /** From the start of the process to its end. */
  readonly ms: number
  /** What it printed. */
  readonly answer: string
}

export type Hook = (event: string) => Promise<HookRun>

export interface CommandHooks {
  /** The script that setup installs, as it stands in a harness's settings. */
  readonly sh: (harness: HarnessName) => Hook
  /** The same for Claude Code. */
  readonly shAndCurl: Hook
  /** The same in JavaScript, which that script falls back on. */
  readonly node: Hook
  /** Does nothing: what starting a hook costs. */
  readonly empty: Hook
}

/** Far above any time that is measured: a hook that gives up would look like a fast one. */
export const LIMIT_SECONDS = 30

/** Installs the hooks for this place. */
export function commandHooks({ root, token, server }: Place): CommandHooks {
  const folder = join(root, 'data', 'hooks')
  for (const harness of ['claude-code', 'codex', 'grok'] as const) writeHookFiles(folder, token, harness)
  const script = (name: string): string => quoted(join(folder, name))
  const url = `http://127.0.0.1:${server.port}${MOMENT_PATH}`
  const header = quoted(join(folder, 'claude-code.header'))
  const sh = (harness: HarnessName): Hook => runs(`sh ${script(HOOK_SCRIPT)} ${harness} ${server.port} ${LIMIT_SECONDS} || exit 0`)
  return {
    sh,
    shAndCurl: sh('claude-code'),
    node: runs(`${quoted(process.execPath)} ${script(HOOK_SCRIPT_FOR_NODE)} '${url}' ${header} ${LIMIT_SECONDS} '' || exit 0`),
    empty: runs('true'),
  }
}

function runs(command: string): Hook {
  return (event) =>
    new Promise((resolve, reject) => {
      const from = performance.now()
      const child = spawn('sh', ['-c', command], { stdio: ['pipe', 'pipe', 'ignore'] })
      let answer = ''
      child.stdout.setEncoding('utf8').on('data', (text: string) => (answer += text))
      child.once('error', reject)
      child.once('close', () => resolve({ ms: performance.now() - from, answer }))
      // a hook that does not read its event ends before it is written
      child.stdin.on('error', () => {})
      child.stdin.end(event)
    })
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
