/**
 * Files that a shell command names, and what it does with them as far as that can be told.
 *
 * In: the command line, its folder. Out: absolute paths with access. What a command only mentions (`echo`, a commit message, the
 * pattern of a search) is left out, and so is a path whose folder or name only the shell can know. A glob stays as it is written.
 */
import type { Redirection } from 'unbash'
import { absolute, joinPath } from './command/folder.ts'
import { analyse } from './command/parse.ts'
import type { SimpleCommand } from './command/parse.ts'
import { resolveWord } from './command/word.ts'
import type { ShellWord } from './command/word.ts'
import { splitWords } from './readers.ts'

export type Access = 'read' | 'write' | 'unknown'

export interface NamedPath {
  readonly path: string
  readonly access: Access
}

const names = (list: string): ReadonlySet<string> => new Set(list.split(' '))

const NO_PATHS = names(
  'echo printf cd pushd popd true false : test [ export alias unalias which type man kill sleep exit return local declare read let set unset shift',
)
const READ_ALL = names(
  'cat head tail less more nl bat batcat tac wc sort uniq cut paste column diff cmp comm file stat md5sum sha1sum sha256sum shasum xxd od hexdump strings zcat ls tree du source . fold rev view open',
)
/** Their first word is a pattern or a script, unless an option gave it. */
const PATTERN_FIRST = names('grep egrep fgrep zgrep rg ag ack sed awk gawk mawk jq yq perl')
const WRITE_ALL = names('rm rmdir mkdir touch tee truncate shred unlink')
const MODE_FIRST = names('chmod chown chgrp')
const COPYING = names('cp ln install rsync scp')
/** Flags by which formatters and fixers rewrite the files that they are given. */
const WRITING_FLAG = /^(?:--write|--fix|--in-place|-i\S*|--inplace)$/
/** Options whose value is text for people. */
const TEXT_OPTION = /^(?:-m|--message|--title|--body|--description|-t|-b|--author|--grep|--format|--pretty|--jq)$/
const GIT_READS = names('add diff show log blame annotate grep status stash')
const GIT_WRITES = names('checkout restore reset rm mv clean switch')

/** As the call's folder sees it. `home`: for `~`; without it such paths are left out. */
export function pathsIn(command: string, cwd: string, { home }: { readonly home?: string } = {}): readonly NamedPath[] {
  return pathsOf(analyse(command).commands, cwd, home)
}

export function pathsOf(commands: readonly SimpleCommand[], cwd: string, home: string | undefined): readonly NamedPath[] {
  const found = new Map<string, NamedPath>()
  for (const command of commands) {
    for (const { word, access, folder } of [...usesOf(command), ...redirected(command)]) {
      const path = word.value === '' ? null : joinPath(folder, word)
      if (path === null || path.startsWith('/dev/')) continue
      // `~name` is another person's home, which is not known here.
      if (path.startsWith('~') && (home === undefined || !/^~(?=$|\/)/.test(path))) continue
      const full = absolute(path, cwd, home ?? '')
      found.set(`${access} ${full}`, { path: full, access })
    }
  }
  return [...found.values()]
}

interface WordUse {
  readonly word: ShellWord
  readonly access: Access
  readonly folder: string | null
}

function usesOf(command: SimpleCommand): readonly WordUse[] {
  const { program, words, folder, wraps } = command
  if (program === null || wraps || NO_PATHS.has(program)) return []
  if (program === 'git') return gitUses(words, folder)
  const { positional, flags } = splitWords(program, words)
  const use = (access: Access) => (word: ShellWord) => ({ word, access, folder })
  if (READ_ALL.has(program)) return positional.map(use('read'))
  if (WRITE_ALL.has(program)) return positional.map(use('write'))
  if (MODE_FIRST.has(program)) return positional.slice(1).map(use('write'))
  if (program === 'find' || program === 'fd') return leading(words).map(use('read'))
  if (program === 'mv') return positional.map(use('write'))
  if (COPYING.has(program)) return copied(words, positional).map(({ word, access }) => ({ word, access, folder }))
  if (program === 'dd') return words.flatMap((word) => ddUse(word, folder))
  if (PATTERN_FIRST.has(program)) {
    const hasPattern = flags.some((flag) => /^-[a-zA-Z]*[ef]$|^--(?:regexp|expression|file|files)\b/.test(flag))
    const isWrite = /^(?:sed|perl|awk|gawk)$/.test(program) && flags.some((flag) => /^-[a-zA-Z]*i|^--in-place/.test(flag))
    return (hasPattern ? positional : positional.slice(1)).map(use(isWrite ? 'write' : 'read'))
  }
  return otherUses(command, flags.some((flag) => WRITING_FLAG.test(flag)) ? 'write' : 'unknown')
}

/** A program that is not known here: words and values of options that look like paths, and the program's own file. */
function otherUses({ name, words, folder }: SimpleCommand, access: Access): readonly WordUse[] {
  const uses: WordUse[] = []
  if (name.value.includes('/')) uses.push({ word: name, access: 'unknown', folder })
  for (const [at, word] of words.entries()) {
    if (TEXT_OPTION.test(words[at - 1]?.value ?? '')) continue
    const value = /^-[^=]*=(.+)$/.exec(word.value)?.[1]
    const candidate = value === undefined ? word : { ...word, value, home: value.startsWith('~/') }
    if (looksLikePath(candidate)) uses.push({ word: candidate, access, folder })
  }
  return uses
}

function looksLikePath({ value, exact, home }: ShellWord): boolean {
  if (!exact || /^[-@+]|[\s:;$`"'<>|&()=,]/.test(value)) return false
  return home || value.includes('/') || /[^.]\.[a-zA-Z]\w{0,9}$/.test(value) || /^\.\w/.test(value)
}

function leading(words: readonly ShellWord[]): readonly ShellWord[] {
  const end = words.findIndex((word) => /^[-(!]/.test(word.value))
  return end < 0 ? words : words.slice(0, end)
}

function copied(words: readonly ShellWord[], positional: readonly ShellWord[]): readonly { word: ShellWord; access: Access }[] {
  const at = words.findIndex((word) => word.value === '-t' || word.value === '--target-directory')
  const target = at < 0 ? undefined : words[at + 1]
  const last = target ?? positional.at(-1)
  return [...positional.filter((word) => word !== last), ...(last ? [last] : [])].map((word) => ({
    word,
    access: word === last ? 'write' : 'read',
  }))
}

function ddUse(word: ShellWord, folder: string | null): readonly WordUse[] {
  const found = /^(if|of)=(.+)$/.exec(word.value)
  if (!found || !found[2]) return []
  return [{ word: { ...word, value: found[2] }, access: found[1] === 'of' ? 'write' : 'read', folder }]
}

/** Words of `git` are mostly names of branches: only commands that take paths count, behind `--` or when they look like one. */
function gitUses(words: readonly ShellWord[], folder: string | null): readonly WordUse[] {
  const at = words.findIndex((word) => word.value === '-C')
  const target = at < 0 ? undefined : words[at + 1]
  const own = target ? joinPath(folder, target) : folder
  const { positional } = splitWords('git', words)
  const [command, ...rest] = positional
  if (!command) return []
  const access = GIT_WRITES.has(command.value) ? 'write' : GIT_READS.has(command.value) ? 'read' : 'unknown'
  const dashes = words.findIndex((word) => word.value === '--')
  const behind = dashes < 0 ? null : words.slice(dashes + 1)
  const paths = behind ?? (access === 'unknown' ? [] : rest.filter(looksLikePath))
  const takesAll = /^(?:add|rm|mv)$/.test(command.value) ? rest : paths
  return takesAll.map((word) => ({ word, access: command.value === 'add' ? 'unknown' : access, folder: own }))
}

function redirected({ redirects, folder }: SimpleCommand): readonly WordUse[] {
  return redirects.flatMap((redirect) => redirectUse(redirect, folder))
}

function redirectUse(redirect: Redirection, folder: string | null): readonly WordUse[] {
  if (redirect.type !== 'Redirect' || !redirect.target) return []
  const { operator } = redirect
  if (operator === '<&' || (operator === '>&' && /^[\d-]+$/.test(redirect.target.value))) return []
  const access: Access = operator === '<' ? 'read' : operator === '<>' ? 'unknown' : 'write'
  return resolveWord(redirect.target).map((word) => ({ word, access, folder }))
}
