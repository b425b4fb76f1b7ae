/** Where an entry applies at all: project, harness, agent. An empty or missing list is no limit. */
import { posix } from 'node:path'
import type { Scope } from '../core/entry.ts'
import { globRegex } from './glob-regex.ts'
import type { Project, Subject } from './match.ts'
import { compileRegex } from './regex.ts'
import { isLike } from './tool.ts'

export type ScopeKey = 'projects' | 'harnesses' | 'agents'

/** A project by all the names that a scope may give it. */
export interface ProjectNames {
  readonly roots: readonly string[]
  readonly folders: readonly string[]
  /** `host/owner/name` of each remote. */
  readonly remotes: readonly string[]
  readonly home: string
}

export interface ScopeTest {
  /** The first part of the scope that the moment lies outside of; null if it lies inside. */
  outside(subject: Subject, project: ProjectNames): ScopeKey | null
}

export function projectNames({ root, roots, remotes }: Project, home: string): ProjectNames {
  const all = [...new Set([...roots, root])]
  return { roots: all, folders: all.map((one) => posix.basename(one)), remotes: remotes.map(remoteName), home }
}

const ANYWHERE: ScopeTest = { outside: () => null }

export function scopeTest({ projects = [], harnesses = [], agents = [] }: Scope): ScopeTest {
  if (projects.length + harnesses.length + agents.length === 0) return ANYWHERE
  const tests = projects.map(projectTest)
  return {
    outside(subject, project) {
      if (harnesses.length > 0 && !harnesses.includes(subject.moment.harness)) return 'harnesses'
      if (agents.length > 0 && !agents.some((agent) => isAgent(agent, subject))) return 'agents'
      if (tests.length > 0 && !tests.some((isProject) => isProject(project))) return 'projects'
      return null
    },
  }
}

/** Whether one of `wanted` names the project, as `scope.projects` does. */
export function isOfProjects(wanted: readonly string[], project: Project, home: string): boolean {
  const names = projectNames(project, home)
  return wanted.some((one) => projectTest(one)(names))
}

function isAgent(wanted: string, { moment }: Subject): boolean {
  if (wanted === 'main') return moment.agent === null
  if (wanted === 'subagent') return moment.agent !== null
  return moment.agentType !== undefined && isLike(wanted.toLowerCase(), moment.agentType.toLowerCase())
}

/** A folder name, an absolute folder (or one above it), a glob over either, or a remote's address, with or without its host. */
function projectTest(wanted: string): (project: ProjectNames) => boolean {
  const text = wanted.trim()
  if (/^[a-z+]+:\/\/|^[\w.-]+@[\w.-]+:/i.test(text)) {
    const remote = remoteName(text)
    return ({ remotes }) => remotes.includes(remote)
  }
  if (/^[/~]/.test(text)) return folderTest(text.replace(/(?!^)\/+$/, ''))
  const isName = globTest(text)
  if (!text.includes('/')) return ({ folders }) => folders.some(isName)
  const isRemote = globTest(text.toLowerCase())
  const isRemoteEnd = globTest(`*/${text.toLowerCase()}`)
  return ({ remotes }) => remotes.some((remote) => isRemote(remote) || isRemoteEnd(remote))
}

function folderTest(folder: string): (project: ProjectNames) => boolean {
  const fromHome = /^~(?=$|\/)/.test(folder)
  const isLikeFolder = globTest(fromHome ? folder.slice(1) : folder)
  return ({ roots, home }) =>
    roots.some((root) => {
      if (!fromHome) return isInside(root, folder) || isLikeFolder(root)
      return isInside(root, home + folder.slice(1)) || (isInside(root, home) && isLikeFolder(root.slice(home.length)))
    })
}

/** `host/owner/name` of a remote's address, however it is written. */
function remoteName(address: string): string {
  return address
    .replace(/^[a-z+]+:\/\//i, '')
    .replace(/^[^@/]*@/, '')
    .replace(/^([^/:]+):(?:\d+\/)?/, '$1/')
    .replace(/\.git\/?$|\/$/, '')
    .toLowerCase()
}

const isInside = (path: string, folder: string) => path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`)

function globTest(glob: string): (text: string) => boolean {
  if (!/[*?[{]/.test(glob)) return (text) => text === glob
  const translated = globRegex(glob)
  const regex = translated.ok ? compileRegex({ source: translated.source, flags: 's' }) : null
  return (text) => regex !== null && regex.test(text)
}
