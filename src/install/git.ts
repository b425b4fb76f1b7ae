/** Keeps a settings file that holds a token out of commits. Asks the `git` program; without one, or outside a repository, there is nothing to do. */
import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { realPathOf } from '../real-path.ts'
import { backupOf } from './settings-file.ts'

const GIT_MS = 5_000

interface GitStanding {
  /** Git commits this file. */
  readonly tracked: boolean
  /** Git's private list of names to leave out, if the file is neither tracked nor ignored; else null. */
  readonly exclude: string | null
}

/** `file` need not exist. */
export function gitStanding(file: string, env: NodeJS.ProcessEnv): GitStanding {
  const folder = existingFolderOf(file)
  const exclude = git(folder, env, ['rev-parse', '--git-path', 'info/exclude'])
  if (exclude === null) return { tracked: false, exclude: null }
  if (git(folder, env, ['ls-files', '--error-unmatch', '--', file]) !== null) return { tracked: true, exclude: null }
  const ignored = git(folder, env, ['check-ignore', '--', file, backupOf(file)])?.split('\n').length === 2
  return { tracked: false, exclude: ignored ? null : resolve(folder, exclude) }
}

/** The root of the checkout that a folder is in, with links resolved; null outside of one. A worktree is a checkout of its own here. */
export function checkoutRoot(folder: string): string | null {
  for (let at = realPathOf(folder); ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at
    if (at === dirname(at)) return null
  }
}

/** Also the backup and the draft of a write: they end in something more. */
export function excludeFromGit(exclude: string, file: string): void {
  mkdirSync(dirname(exclude), { recursive: true })
  const text = existsSync(exclude) ? readFileSync(exclude, 'utf8') : ''
  appendFileSync(exclude, `${text === '' || text.endsWith('\n') ? '' : '\n'}${excludeLine(file)}\n`)
}

export function includeInGit(exclude: string, file: string): void {
  if (!existsSync(exclude)) return
  const text = readFileSync(exclude, 'utf8')
  const start = `\n${text}`.lastIndexOf(`\n${excludeLine(file)}\n`)
  if (start === -1) return
  writeFileSync(exclude, text.slice(0, start) + text.slice(start + excludeLine(file).length + 1))
}

function excludeLine(file: string): string {
  return `/.claude/${basename(file)}*`
}

function existingFolderOf(file: string): string {
  const folder = dirname(file)
  return existsSync(folder) || folder === dirname(folder) ? folder : existingFolderOf(folder)
}

/** The trimmed output; null when git is not there, or says no. */
function git(folder: string, env: NodeJS.ProcessEnv, args: readonly string[]): string | null {
  try {
    return execFileSync('git', ['-C', folder, ...args], {
      encoding: 'utf8',
      env,
      timeout: GIT_MS,
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return null
  }
}
