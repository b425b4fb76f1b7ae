/** Deletes what we wrote into the data folder, and nothing else: `CONTEXTMD_DATA` may name a folder that holds a person's own files. */
import { readdirSync, rmdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { recordFileIn as opencodeRecordFileIn } from '../harness/opencode/install-record.ts'
import { hostTokenFileIn } from '../install/host-token.ts'
import { agentRecordFileIn } from '../install/agent-record.ts'
import { recordFileIn } from '../install/record.ts'
import type { Paths } from '../paths.ts'

/** Of a note, and of its draft. */
const NOTE = /^[0-9a-f]{12}\.md(?:\.new)?$/
/** What may follow a name of ours: SQLite's companions, the lock beside a file, its full predecessor, drafts that a crash left. */
const BESIDE = /^(?:-wal|-shm|-journal|\.lock(?:-journal)?|\.1|(?:\.\d+)?(?:\.next|\.contextmd)?)$/
/** Drafts in the folder of the scripts. */
const SCRIPT_DRAFT =
  /^\.?(?:contextmd-(?:hook|start)\.(?:sh|cjs)|opencode-plugin\.js|server\.start|(?:claude-code|codex|grok|opencode)\.[a-z]+)\.\d+(?:\.contextmd)?$/
/** So many names are told; a folder may hold thousands. */
const MOST_NAMES = 5

export interface Deleted {
  /** Files of ours. */
  readonly count: number
  /** The folder was empty then, and is gone too. */
  readonly isGone: boolean
  /** Not ours: left. */
  readonly left: readonly string[]
}

export function deleteNotes(paths: Pick<Paths, 'notes'>): Deleted {
  return deleteOurs(paths.notes, (name) => NOTE.test(name))
}

/** State, log, tokens, trust, and what belongs to them. Notes, scripts and the plugin folder have been deleted before. */
export function deleteData(paths: Paths): Deleted {
  deleteOurs(paths.hooks, (name) => SCRIPT_DRAFT.test(name))
  const { state, lock, tokens, trust, ownToken, server, key, log, data } = paths
  const files = [
    state,
    lock,
    tokens,
    trust,
    ownToken,
    server,
    key,
    log,
    recordFileIn(data),
    opencodeRecordFileIn(data),
    hostTokenFileIn(data),
    agentRecordFileIn(data),
  ]
  const names = [...files.map((file) => basename(file)), 'start.lock']
  return deleteOurs(data, (name) => names.some((own) => name.startsWith(own) && BESIDE.test(name.slice(own.length))))
}

/** Names for a sentence. */
export function someOf(names: readonly string[]): string {
  const told = names.slice(0, MOST_NAMES).join(', ')
  return names.length > MOST_NAMES ? `${told} and ${names.length - MOST_NAMES} more` : told
}

function deleteOurs(folder: string, isOurs: (name: string) => boolean): Deleted {
  const left: string[] = []
  let count = 0
  for (const entry of entriesOf(folder)) {
    if (entry.isDirectory() || !isOurs(entry.name)) {
      left.push(entry.name)
      continue
    }
    rmSync(join(folder, entry.name), { force: true })
    count += 1
  }
  return { count, left, isGone: left.length === 0 && isRemoved(folder) }
}

/** Empty where it is no folder. */
function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

function isRemoved(folder: string): boolean {
  try {
    rmdirSync(folder)
    return true
  } catch {
    // it is gone already, a link, or something else has come in
    return false
  }
}
