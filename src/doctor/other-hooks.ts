/** Hooks and plugins of others that are asked before a tool: they may win a collision with ours (G12). Reads the harnesses' files. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HarnessName } from '../core/id.ts'
import { managedSettings } from '../harness/claude-code/install-obstacles.ts'
import { wrapperIn } from '../harness/opencode/install-plugin.ts'
import { isOurHook } from '../install/hook.ts'
import { placedHooks } from '../install/placed-hooks.ts'
import { readSettings, type SettingsValue } from '../install/settings-text.ts'
import type { OtherHooks } from './facts.ts'

export interface HookLayers {
  /** The harness's settings folder. */
  readonly folder: string
  /** Root of the project that the person stands in. */
  readonly project: string
  readonly home: string
}

const BEFORE_TOOL = 'PreToolUse'

export function otherHooks(harness: HarnessName, layers: HookLayers): readonly OtherHooks[] {
  return (harness === 'opencode' ? opencodePlugins(layers) : hookFiles(harness, layers).map(inFile)).filter(({ count }) => count > 0)
}

/** In the order in which the harness takes them, where it has one. */
function hookFiles(harness: Exclude<HarnessName, 'opencode'>, { folder, project, home }: HookLayers): readonly string[] {
  switch (harness) {
    case 'claude-code':
      return [
        managedSettings(process.platform),
        join(folder, 'settings.json'),
        join(project, '.claude', 'settings.json'),
        join(project, '.claude', 'settings.local.json'),
      ]
    case 'codex':
      return [join(folder, 'hooks.json'), join(project, '.codex', 'hooks.json')]
    case 'grok':
      return [
        ...jsonFilesIn(join(folder, 'hooks')),
        // Grok Build runs Claude Code's hooks too (S15)
        join(home, '.claude', 'settings.json'),
        join(project, '.claude', 'settings.json'),
        ...jsonFilesIn(join(project, '.grok', 'hooks')),
      ]
    default:
      return harness satisfies never
  }
}

function inFile(file: string): OtherHooks {
  const value = valueOf(file)
  const others = value === null ? [] : placedHooks(value).filter(({ event, hook }) => event === BEFORE_TOOL && !isOurHook(hook))
  return { file, count: others.length }
}

/** Plugins in the folders, and those that its settings name. */
function opencodePlugins({ folder, project }: HookLayers): readonly OtherHooks[] {
  const folders = [folder, join(project, '.opencode')]
  const own = new Set(folders.map(wrapperIn))
  const inFolders = folders.flatMap((config) =>
    ['plugin', 'plugins'].map((name) => {
      const files = filesIn(join(config, name)).filter((file) => /\.[jt]s$/.test(file) && !own.has(file))
      return { file: join(config, name), count: files.length }
    }),
  )
  return [...opencodeSettings(folder, project).map(({ file, value }) => ({ file, count: listIn(value['plugin']) })), ...inFolders]
}

/** The settings files of OpenCode that are there and can be read. */
export function opencodeSettings(folder: string, project: string): readonly { readonly file: string; readonly value: SettingsValue }[] {
  const names = ['opencode.json', 'opencode.jsonc']
  return [folder, project, join(project, '.opencode')]
    .flatMap((place) => names.map((name) => join(place, name)))
    .flatMap((file) => {
      const value = valueOf(file)
      return value === null ? [] : [{ file, value }]
    })
}

function listIn(value: unknown): number {
  return Array.isArray(value) ? value.length : 0
}

/** Null where there is none, or none that can be read: that is the harness's to complain about. */
export function valueOf(file: string): SettingsValue | null {
  try {
    return existsSync(file) ? readSettings(readFileSync(file, 'utf8'), file) : null
  } catch {
    return null
  }
}

function jsonFilesIn(folder: string): readonly string[] {
  return filesIn(folder).filter((file) => file.endsWith('.json'))
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .sort()
      .map((name) => join(folder, name))
  } catch {
    // it is not there
    return []
  }
}
