/** A temporary home with a project and a store of a size, and the real server on it, as a process of its own. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pathsFrom } from '../src/paths.ts'
import { readOwnToken } from '../src/server/own-token.ts'
import { openTokens } from '../src/state/tokens.ts'
import { writeCorpus } from './corpus.ts'
import { startServerProcess, type ServerProcess } from './process.ts'

const MAIN = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url))
export const MOMENT_PATH = '/contextmd/v1/moment?harness=claude-code'
const API = '/contextmd/v1'
/** What the session's calls name is there, as in a real project. */
const PROJECT_FOLDERS = ['.git', 'build', 'docs', 'scripts', 'src/server']

export interface Place {
  readonly entries: number
  readonly root: string
  readonly project: string
  readonly server: ServerProcess
  /** Posts moments. */
  readonly token: string
  /** From the start of the process until no entry is left to be read. */
  readonly loadedMs: number
  /** Parsed JSON of an answer of the server to a person. */
  get(path: string): Promise<unknown>
  close(): Promise<void>
}

/** `nodeArgs`: options of Node for the server, such as its profiler's. */
export async function openPlace(entries: number, nodeArgs: readonly string[] = []): Promise<Place> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'contextmd-bench-')))
  const remove = (): void => rmSync(root, { recursive: true, force: true, maxRetries: 3 })
  try {
    const project = join(root, 'project')
    for (const folder of PROJECT_FOLDERS) mkdirSync(join(project, folder), { recursive: true })
    writeFileSync(join(project, '.git', 'HEAD'), 'ref: refs/heads/main\n')
    writeFileSync(join(project, '.git', 'config'), '[remote "origin"]\n\turl = git@example.com:team/project.git\n')
    writeCorpus(join(root, 'rules'), entries)
    const env = {
      PATH: process.env['PATH'],
      HOME: root,
      CONTEXTMD_DATA: join(root, 'data'),
      CONTEXTMD_SERVING_CONFIG: join(root, 'serving.json'),
    }
    const paths = pathsFrom(env)
    mkdirSync(paths.data, { mode: 0o700 })
    writeFileSync(paths.serving, JSON.stringify({ stores: [{ name: 'rules', folder: join(root, 'rules') }] }))
    const { token } = openTokens(paths.tokens, { now: () => Date.now() }).issue({
      name: 'bench',
      scopes: ['orchestration:read'],
      days: TOKEN_DAYS,
    })
    const from = performance.now()
    const server = await startServerProcess([...nodeArgs, MAIN, 'serve', '--port', '0'], env)
    const get = async (path: string): Promise<unknown> => {
      const response = await fetch(`http://127.0.0.1:${server.port}${API}${path}`, {
        headers: { authorization: `Bearer ${readOwnToken(paths.ownToken) ?? ''}` },
      })
      if (!response.ok) throw new Error(`The server answered ${path} with ${response.status}.`)
      return response.json()
    }
    await loaded(get)
    const loadedMs = performance.now() - from
    const close = async (): Promise<void> => {
      await server.close()
      remove()
    }
    return { entries, root, project, server, token, loadedMs, get, close }
  } catch (error) {
    remove()
    throw error
  }
}

/** Long enough that health has nothing to say about it. */
const TOKEN_DAYS = 30

/** Between two questions whether all entries are read. */
const ASK_EVERY_MS = 100

async function loaded(get: Place['get']): Promise<void> {
  for (;;) {
    // the form of health's answer is our own
    const { problems } = (await get('/health')) as { problems: readonly { readonly code: string }[] }
    if (!problems.some(({ code }) => code === 'store_loading')) return
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS))
  }
}
