/** Where an entry applies at all: project, harness, agent. An empty or missing list is no limit. */
import { posix } from 'node:path'
import type { Scope } from '../core/entry.ts'
import { compileRegex } from './regex.ts'
import { globRegex } from './glob-regex.ts'
import { isLike } from './tool.ts'
import type { Project, Subject } from './match.ts'

export type ScopeKey = 'projects' | 'harnesses' | 'agents'

/** The first part of the scope that the moment lies outside of; null if it lies inside. */
export function outsideOf(scope: Scope, subject: Subject): ScopeKey | null {
  const { moment, project, home } = subject
  if (scope.harnesses?.length && !scope.harnesses.includes(moment.harness)) return 'harnesses'
  if (scope.agents?.length && !scope.agents.some((agent) => isAgent(agent, subject))) return 'agents'
  if (scope.projects?.length && !scope.projects.some((wanted) => isProject(wanted, project, home))) return 'projects'
  return null
}

function isAgent(wanted: string, { moment }: Subject): boolean {
  if (wanted === 'main') return moment.agent === null
  if (wanted === 'subagent') return moment.agent !== null
  return moment.agentType !== undefined && isLike(wanted.toLowerCase(), moment.agentType.toLowerCase())
}

/** A folder name, an absolute folder (or one above it), a glob over either, or a remote's address, with or without its host. */
export function isProject(wanted: string, project: Project, home: string): boolean {
  const text = wanted.trim()
  if (isRemote(text)) return project.remotes.some((remote) => remoteName(remote) === remoteName(text))
  const roots = [...new Set([project.root, ...project.roots])]
  if (/^[/~]/.test(text)) {
    const folder = text.replace(/^~(?=$|\/)/, home).replace(/\/+$/, '') || '/'
    return roots.some((root) => isInside(root, folder) || isGlob(folder, root))
  }
  if (roots.some((root) => isGlob(text, posix.basename(root)))) return true
  return text.includes('/') && project.remotes.some((remote) => isGlob(text, remoteName(remote)) || isGlob(`*/${text}`, remoteName(remote)))
}

const isRemote = (text: string) => /^[a-z+]+:\/\/|^[\w.-]+@[\w.-]+:/i.test(text)

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

function isGlob(glob: string, text: string): boolean {
  if (!/[*?[{]/.test(glob)) return glob === text || glob.toLowerCase() === text
  const translated = globRegex(glob)
  return translated.ok && compileRegex({ source: translated.source, flags: 's' })?.test(text) === true
}
