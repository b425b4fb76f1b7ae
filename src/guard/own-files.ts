/**
 * The built-in entry that keeps an agent from switching its own rules off (S18): writes to our own files, and the commands that
 * change what is in force, are held once, with a text that asks whether the person wanted this.
 *
 * Its text and its commands stand in a Markdown file of the package, as those of any entry; the folders are found where they are on
 * this machine. Reading stays free: a hold tells the agent to read files of a store. What a program does inside (`python -c …`) is not
 * seen, nor what reaches the files by a name that only the shell knows.
 */
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Entry, TriggerItem } from '../core/entry.ts'
import { id, type EntryId } from '../core/id.ts'
import type { Problem } from '../core/problem.ts'
import type { Paths } from '../paths.ts'
import { realPathOf } from '../real-path.ts'
import { parseEntry } from '../stores/parse-entry.ts'

export const OWN_FILES = id<EntryId>('contextmd/own-files')

const FILE = fileURLToPath(new URL('../../examples/built-in/own-files.md', import.meta.url))
const STORE = { name: 'contextmd', folder: dirname(FILE) }

/** Settings of a harness in which setup writes our hooks: of the person, and of a project for the person alone. */
const HARNESS_SETTINGS = [
  '~/.claude/settings.json',
  '~/.claude/settings.local.json',
  '.claude/settings.local.json',
  '~/.codex/hooks.json',
  // trust of hooks, the server of hooks that call a tool, and the switch for all hooks
  '~/.codex/config.toml',
  '.codex/hooks.json',
  '~/.grok/hooks/**',
  '.grok/hooks/**',
  // who keeps the server running
  '~/.config/systemd/user/contextmd.service',
  '~/Library/LaunchAgents/contextmd.plist',
] as const
/** A project's own store: once trusted, it is in force as any other. */
const PROJECT_STORE = '.contextmd/**'
/** A project's shared settings are an agent's business, but not this switch. */
const SHARED_SETTINGS: TriggerItem = { path: ['.claude/settings.json'], access: ['write'], content: ['disableAllHooks'] }

export interface OwnPlaces {
  readonly paths: Pick<Paths, 'config' | 'serving' | 'data'>
  readonly home: string
  /** Folders of the stores in force. */
  readonly stores: readonly string[]
  /** `CLAUDE_CONFIG_DIR`, where the harness keeps its settings outside of the home. */
  readonly claudeConfig?: string
  /** Inside a host, where `paths.data` is a folder in the host's own. */
  readonly inside?: OwnInside
}

export interface OwnInside {
  /** The person's data folder: hooks, their token, trust. */
  readonly data: string
  /** The host's state folder, which holds our state beside the host's. */
  readonly stateDir: string
}

/** Ours in a host's state folder, with what SQLite keeps beside them. */
const FILES_IN_HOST = ['contextmd.sqlite*', 'contextmd.lock*'] as const

export interface BuiltIn {
  readonly entries: readonly Entry[]
  readonly problems: readonly Problem[]
}

/** The entry for these places. None, with a problem, where the package's own file is missing or broken. */
export function ownFilesEntry(places: OwnPlaces): BuiltIn {
  const entry = readEntry()
  if (entry === null) return { entries: [], problems: [MISSING] }
  return { entries: [{ ...entry, when: [...entry.when, ...pathItems(places)] }], problems: [] }
}

function readEntry(): Entry | null {
  try {
    return parseEntry(FILE, readFileSync(FILE), STORE, { home: '/' }).entry
  } catch {
    return null
  }
}

function pathItems({ paths, home, stores, claudeConfig, inside: host }: OwnPlaces): readonly TriggerItem[] {
  const named = [paths.config, paths.serving, paths.data, ...stores, ...(host === undefined ? [] : [host.data])]
  const own = [...new Set(named.flatMap((path) => [path, realPathOf(path)]))]
  const hostFolders = host === undefined ? [] : [...new Set([host.stateDir, realPathOf(host.stateDir)])]
  const inside = [
    ...own.map((path) => `${literalGlob(path)}/**`),
    ...hostFolders.flatMap((folder) => FILES_IN_HOST.map((name) => `${literalGlob(folder)}/${name}`)),
  ]
  const settings = claudeConfig === undefined ? [] : [`${literalGlob(claudeConfig)}/settings.json`]
  const above = [...new Set(own.flatMap((path) => foldersAbove(path, home)))].map(literalGlob)
  return [
    { path: [...inside, PROJECT_STORE, ...HARNESS_SETTINGS, ...settings], access: ['write'] },
    SHARED_SETTINGS,
    { command: ['/^find .* -(?:delete|exec|execdir|ok|okdir)(?: |$)/'], path: inside },
    // a copy into such a folder is an everyday thing; taking it away takes our files away
    ...(above.length === 0
      ? []
      : [{ command: ['rm'], path: above.flatMap((folder) => [folder, `${folder}/\\*`]), access: ['write' as const] }]),
  ]
}

/** The folders above a path within the home, the home included. A path elsewhere has only the folder it stands in. */
function foldersAbove(path: string, home: string): readonly string[] {
  if (!path.startsWith(`${home}/`)) return []
  const folders: string[] = []
  for (let folder = dirname(path); folder.length >= home.length; folder = dirname(folder)) folders.push(folder)
  return folders
}

/** A glob that is this very path, whatever characters its folders have. */
function literalGlob(path: string): string {
  return path.replaceAll(/[\\*?[\]{}()!@+|]/g, '\\$&').replaceAll(',', '[,]')
}

const MISSING: Problem = {
  code: 'built_in_missing',
  severity: 'error',
  message: "the built-in entry that guards ContextMD's own files can't be read; an agent may change them unheld",
  cure: 'install ContextMD anew',
  file: FILE,
}
