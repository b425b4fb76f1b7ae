/** May the agent read what a held call names: the entries of the stores, and the notes? What forbids it is told as sentences (G13). */
import { accessSync, constants, existsSync } from 'node:fs'
import { join } from 'node:path'
import type { HarnessName } from '../core/id.ts'
import { isRecord } from '../install/hook.ts'
import type { SettingsValue } from '../install/settings-text.ts'
import { opencodeSettings, valueOf, type HookLayers } from './other-hooks.ts'

/** `folders`: absolute, of stores and notes; those that are not there yet are passed over. */
export function unreadable(harness: HarnessName, layers: HookLayers, folders: readonly string[]): readonly string[] {
  const present = folders.filter((folder) => existsSync(folder))
  return [
    ...present.filter((folder) => !mayRead(folder)).map((folder) => `${folder} may not be read by your user`),
    ...forbidden(harness, layers, present),
  ]
}

function mayRead(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

function forbidden(harness: HarnessName, { folder, project, home }: HookLayers, folders: readonly string[]): readonly string[] {
  if (harness === 'claude-code') {
    const files = [
      join(folder, 'settings.json'),
      join(project, '.claude', 'settings.json'),
      join(project, '.claude', 'settings.local.json'),
    ]
    return files.flatMap((file) => {
      const value = valueOf(file)
      return value === null
        ? []
        : deniedBy(value, folders, home).map((rule) => `"${rule}" under "deny" in ${file} keeps the agent from reading stores or notes`)
    })
  }
  if (harness !== 'opencode') return []
  return opencodeSettings(folder, project)
    .filter(({ value }) => isRecord(value['permission']) && value['permission']['external_directory'] === 'deny')
    .map(({ file }) => `"external_directory": "deny" in ${file} keeps the agent from reading stores and notes`)
}

/** Rules of the form `Read(//PATH…)`, `Read(~/PATH…)`, or of the whole tool, whose fixed part lies above or in one of the folders. */
function deniedBy(settings: SettingsValue, folders: readonly string[], home: string): readonly string[] {
  const permissions = settings['permissions']
  const denied: readonly unknown[] = isRecord(permissions) && Array.isArray(permissions['deny']) ? permissions['deny'] : []
  return denied.filter((rule): rule is string => {
    if (typeof rule !== 'string') return false
    if (rule === 'Read' || rule === 'Read(*)' || rule === 'Read(**)') return true
    const pattern = /^Read\((.*)\)$/.exec(rule)?.[1]
    const path = pattern === undefined ? null : absolute(pattern, home)
    if (path === null) return false
    const fixed = path.split('*')[0] ?? ''
    return folders.some((folder) => `${folder}/`.startsWith(fixed) && path.endsWith('**'))
  })
}

/** Null for a pattern that counts from a folder which is not known here. */
function absolute(pattern: string, home: string): string | null {
  if (pattern.startsWith('//')) return pattern.slice(1)
  return pattern.startsWith('~/') ? join(home, pattern.slice(2)) : null
}
