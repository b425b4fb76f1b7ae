/** The hook scripts as setup leaves them in a home, and a server that is played: it counts what it is asked and sent. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { writeHookFiles } from '../install/hook-scripts.ts'
import { HOOK_SCRIPT, START_WORD } from '../install/hook.ts'
import { PROOF_PATH, proofOf } from '../proof.ts'
import { writeServerFile } from '../server/server-file.ts'
import { makeHome, until, type Ended, type Home } from './home.fixture.ts'

export const ANSWER = '{"hookSpecificOutput":{}}'
export const EVENT = JSON.stringify({ hook_event_name: 'SessionStart', session_id: 's1', text: 'what a person typed' })
const TOKEN = 'cmd_secret'
const KEY = 'fedcba9876543210'.repeat(4)
/** Generous, since nothing is measured here. */
const SECONDS = 20

export interface HookHome extends Home {
  /** Runs a hook as it stands in the settings. */
  hook(port: number, more?: { readonly start?: boolean; readonly env?: NodeJS.ProcessEnv }): Promise<Ended>
  /** A PATH with these programs only. */
  pathOf(...programs: readonly string[]): Promise<string>
}

export function makeHookHome(): HookHome {
  const home = makeHome()
  writeHookFiles(home.paths.hooks, TOKEN)
  writeFileSync(home.paths.key, `${KEY}\n`)
  const script = join(home.paths.hooks, HOOK_SCRIPT)
  return {
    ...home,
    hook: (port, { start = false, env = {} } = {}) =>
      home.run(['/bin/sh', script, 'claude-code', String(port), String(SECONDS), ...(start ? [START_WORD] : [])], { env, input: EVENT }),
    async pathOf(...programs) {
      const bin = mkdtempSync(join(home.folder, 'bin-'))
      for (const program of programs) {
        const { out } = await home.run(['/bin/sh', '-c', `command -v ${program}`])
        symlinkSync(program === 'node' ? process.execPath : out.trim(), join(bin, program))
      }
      return bin
    },
  }
}

export interface StartScripts {
  /** With it in place of `setsid`, which a hook uses to let the script that starts the server go on without it. */
  readonly PATH: string
  /** Resolves when that many scripts have come to their end. */
  ended(count: number): Promise<void>
}

export function watchStartScripts({ folder, env }: Home): StartScripts {
  const [bin, over] = [join(folder, 'bin'), join(folder, 'over')]
  mkdirSync(bin)
  writeFileSync(join(bin, 'setsid'), `#!/bin/sh\n"$@"\necho over >>'${over}'\n`, { mode: 0o755 })
  return { PATH: `${bin}:${env['PATH']}`, ended: (count) => until(() => linesOf(over).length >= count) }
}

export function linesOf(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []
}

export interface PlayedServer {
  readonly port: number
  /** Proofs that it was asked for. */
  proofs: number
  /** Events that were posted, with the headers. */
  readonly posted: string[]
}

/** `honest`: it has the key. A dishonest one answers anything with 200 and text for the model. */
export async function playServer(isHonest: boolean): Promise<PlayedServer> {
  const server = createServer((request, response) => {
    if (request.url?.startsWith(PROOF_PATH)) {
      played.proofs += 1
      const nonce = request.url.split('nonce=')[1] ?? ''
      return response.end(isHonest ? proofOf(nonce, played.port, KEY) : 'f'.repeat(64))
    }
    let body = JSON.stringify(request.headers)
    request.on('data', (part) => (body += String(part)))
    request.on('end', () => {
      played.posted.push(body)
      response.end(ANSWER)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const played: PlayedServer = { port: (server.address() as AddressInfo).port, proofs: 0, posted: [] } // it listens on a port
  return played
}

/** As a server that runs as this very process would write it. */
export function nameServer(
  { paths }: Home,
  port: number,
  more: { readonly version?: string; readonly pid?: number; readonly folder?: string } = {},
): void {
  const folder = more.folder ?? paths.data
  mkdirSync(folder, { recursive: true })
  const { version = '1.0.0', pid = process.pid } = more
  writeServerFile(join(folder, 'server.json'), { pid, address: `http://127.0.0.1:${port}`, version, startedAt: 7, startedAs: 'background' })
}

/** Nobody listens there: a port that was free a moment ago. */
export async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on a port
  await new Promise((resolve) => server.close(resolve))
  return port
}
