/** Where a demo plays: a temporary folder with a home, a project and a store, and the real server on a free port. */
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEngine } from '../engine/open.ts'
import { pathsFrom } from '../paths.ts'
import { startServer, type RunningServer } from '../server/start.ts'
import { openTokens } from '../state/tokens.ts'

/** Long enough that health does not warn of its end. It goes with the folder. */
const TOKEN_DAYS = 30

export interface Place {
  /** Stands for the home folder of the recording. */
  readonly root: string
  readonly server: RunningServer
  /** Posts moments, and nothing else. */
  readonly token: string
  /** The environment in which a command of ours finds this server. */
  readonly env: NodeJS.ProcessEnv
  /** Stops the server and removes every file. */
  close(): Promise<void>
}

/** `rules`: the folder of entries that are served, from a copy. */
export async function openPlace(rules: string, version: string): Promise<Place> {
  // real: what an event names and what the stores name are compared
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'contextmd-demo-')))
  const remove = (): void => rmSync(root, { recursive: true, force: true, maxRetries: 3 })
  try {
    mkdirSync(join(root, 'project'))
    cpSync(rules, join(root, 'rules'), { recursive: true })
    const env = { HOME: root, CONTEXTMD_DATA: join(root, 'data'), CONTEXTMD_SERVING_CONFIG: join(root, 'serving.json') }
    const paths = pathsFrom(env)
    mkdirSync(paths.data, { mode: 0o700 })
    writeFileSync(paths.serving, JSON.stringify({ stores: [{ name: 'rules', folder: join(root, 'rules') }] }))
    const now = (): number => Date.now()
    const tokens = openTokens(paths.tokens, { now })
    const { token } = tokens.issue({ name: 'demo', scopes: ['orchestration:read'], days: TOKEN_DAYS })
    const server = await startServer({
      paths,
      port: 0,
      version,
      now,
      tokens,
      openEngine: () => openEngine({ paths, version, now, tokens, env }),
      // what fails shows in the timeline: a moment without its row, or an unkept promise
      report: () => {},
    })
    const close = async (): Promise<void> => {
      await server.close()
      remove()
    }
    return { root, server, token, env, close }
  } catch (error) {
    remove()
    throw error
  }
}
