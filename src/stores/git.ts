/** What a git repository's own files say about where it lies. Reads files only; git itself is not run. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { stampOf } from './file.ts'

export interface Repository {
  /** Folder of the checkout at hand: the one that holds `.git`. */
  readonly checkout: string
  /** Git folder that all worktrees share. */
  readonly common: string
  /** Checkout of the main worktree; for a bare repository its git folder, which at least names it. */
  readonly main: string
  /** Checkouts of the linked worktrees. */
  readonly linked: readonly string[]
  /** The files that say where these are. */
  readonly links: readonly string[]
  /** Addresses of the remotes, without user names and passwords. */
  readonly remotes: readonly string[]
}

/** Null if `folder` is not the top of a checkout. A `.git` that leads nowhere is none, as git itself sees it. */
export function repositoryAt(folder: string): Repository | null {
  const own = gitFolder(join(folder, '.git'))
  if (own === null) return null
  const shared = textOf(join(own, 'commondir'))?.trim()
  const common = shared ? resolve(own, shared) : own
  const links = namesIn(join(common, 'worktrees')).map((name) => join(common, 'worktrees', name, 'gitdir'))
  const config = configOf(textOf(join(common, 'config')) ?? '')
  return {
    checkout: folder,
    common,
    // Without `commondir` this is the main checkout, wherever its git folder lies.
    main: shared ? mainCheckout(common, config.worktree) : folder,
    linked: links.flatMap(checkoutAt),
    links,
    remotes: config.remotes,
  }
}

/** `.git` is the git folder, or a file that names it (worktrees, submodules). */
function gitFolder(path: string): string | null {
  const kind = stampOf(path)?.kind
  if (kind === undefined || kind === 'other') return null
  const named = kind === 'file' ? /^gitdir: (.+?)\s*$/m.exec(textOf(path) ?? '')?.[1] : path
  if (named === undefined) return null
  const folder = resolve(dirname(path), named)
  return stampOf(join(folder, 'HEAD')) === null ? null : folder
}

function mainCheckout(common: string, worktree: string | null): string {
  if (worktree !== null) return resolve(common, worktree)
  return basename(common) === '.git' ? dirname(common) : common
}

function checkoutAt(link: string): readonly string[] {
  const named = textOf(link)?.trim()
  return named ? [dirname(resolve(dirname(link), named))] : []
}

interface Config {
  readonly remotes: readonly string[]
  readonly worktree: string | null
}

/** Of git's configuration only what is needed: `[remote "x"] url` and `[core] worktree`. */
function configOf(text: string): Config {
  const remotes: string[] = []
  let worktree: string | null = null
  let section = ''
  for (const line of text.split('\n')) {
    const header = /^\s*\[\s*([^\]"\s]+)\s*(?:"(?:[^"\\]|\\.)*")?\s*\]/.exec(line)
    if (header) section = (header[1] ?? '').toLowerCase()
    const setting = /^\s*(?:\[[^\]]*\]\s*)?([A-Za-z][\w-]*)\s*=\s*(.*)$/.exec(line)
    if (!setting) continue
    const value = plain(setting[2] ?? '')
    const key = `${section}.${setting[1]?.toLowerCase()}`
    if (key === 'remote.url' && value !== '') remotes.push(withoutLogin(value))
    if (key === 'core.worktree') worktree = value
  }
  return { remotes, worktree }
}

/** Without quotes, and without a comment behind the value. */
function plain(value: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"/.exec(value)
  if (quoted) return (quoted[1] ?? '').replace(/\\(.)/g, '$1')
  return value.replace(/\s[#;].*$/, '').trim()
}

/** An address in a config file may hold a token: it must not travel any further. */
function withoutLogin(address: string): string {
  return address.replace(/^([a-z][a-z+]*:\/\/)[^/@]*@/i, '$1')
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // missing, or not ours to read: then it says nothing
    return null
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
