/** Is what holds secrets readable by its owner alone, and is there room on the disk? Reads the file system. */
import { existsSync, readdirSync, statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { HarnessName } from '../core/id.ts'
import { agentTokenFile } from '../install/agent-token.ts'
import { hostTokenFileIn } from '../install/host-token.ts'
import type { Paths } from '../paths.ts'
import type { Finding } from './finding.ts'

const HARNESSES: readonly HarnessName[] = ['claude-code', 'codex', 'grok', 'opencode']
const OTHERS = 0o077
/** Below this the state may not be written for long: a busy day of the log takes some 50 MB. */
const SCARCE_BYTES = 1024 * 1024 * 1024
const FULL_BYTES = 100 * 1024 * 1024

/** `state`: the state file in use, which inside a host is not the one of the paths. */
export function checkPrivate(
  { data, tokens, ownToken, key, hooks }: Pick<Paths, 'data' | 'tokens' | 'ownToken' | 'key' | 'hooks'>,
  state: string,
): readonly Finding[] {
  const secrets = [
    data,
    tokens,
    ownToken,
    key,
    hostTokenFileIn(data),
    ...HARNESSES.map((harness) => agentTokenFile(data, harness)),
    state,
    `${state}-wal`,
    `${state}-shm`,
    ...namesIn(hooks)
      .filter((name) => /\.(header|wgetrc)$/.test(name))
      .map((name) => join(hooks, name)),
  ]
  const open = secrets.filter((path) => existsSync(path) && (statSync(path).mode & OTHERS) !== 0)
  if (open.length === 0)
    return [{ id: 'private', harness: null, level: 'ok', what: 'tokens and state are readable by you alone', cure: '' }]
  return open.map((path) => {
    const mode = statSync(path).isDirectory() ? 0o700 : 0o600
    return {
      id: 'private',
      harness: null,
      level: 'bad',
      what: `others on this machine may read ${path}`,
      cure: `chmod ${mode.toString(8)} ${path}`,
      fix: { kind: 'private', path, mode },
    }
  })
}

export function checkDisk({ data }: Pick<Paths, 'data'>): Finding {
  const about = { id: 'disk', harness: null } as const
  const { bavail, bsize } = statfsSync(existingAbove(data))
  const free = bavail * bsize
  const room = `${free >= 10 * SCARCE_BYTES ? Math.round(free / SCARCE_BYTES) : (free / SCARCE_BYTES).toFixed(1)} GB free for ${data}`
  const cure = 'Free space: a state that can not be written serves nothing.'
  if (free < FULL_BYTES) return { ...about, level: 'bad', what: room, cure }
  if (free < SCARCE_BYTES) return { ...about, level: 'warn', what: room, cure }
  return { ...about, level: 'ok', what: room, cure: '' }
}

function existingAbove(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : existingAbove(dirname(path))
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    // it is not there
    return []
  }
}
