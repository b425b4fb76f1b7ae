/**
 * Our hooks as a plugin of Claude Code: a folder in the data folder, which is a marketplace with this one plugin in it.
 *
 * Facts of Claude Code 2.1.332, measured: a plugin of a folder's marketplace is read from that very folder, a copy of it lies in a
 * cache; a hook that stands in a plugin and in the settings runs twice. Because of the copy no token may be in it: command hooks, whose
 * token stands beside the script.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { removeIfEmpty } from '../../install/install.ts'
import { ourHooks, type PlacedHook } from '../../install/placed-hooks.ts'
import { readSettings } from '../../install/settings-text.ts'
import { hooksFor } from './install-hooks.ts'

/** As it stands in `enabledPlugins` of the settings: PLUGIN@MARKETPLACE. */
export const PLUGIN_ID = 'contextmd@contextmd'
const NAME = 'contextmd'
const DESCRIPTION = 'Serves your Markdown rules to the agent at the moment they matter, and proves that it got them.'

export function pluginFolder(dataFolder: string): string {
  return join(dataFolder, 'claude-code-plugin')
}

/** The file with the hooks. */
export function pluginHooksFile(dataFolder: string): string {
  return join(pluginFolder(dataFolder), 'plugin', 'hooks', 'hooks.json')
}

interface Wish {
  readonly dataFolder: string
  readonly hooksFolder: string
  readonly port: number
  /** Limit of one hook. */
  readonly seconds: number
  readonly version: string
}

/** Files of the plugin that are missing or not as they should be; `write` writes them. */
export function planPlugin(wish: Wish): { readonly stale: readonly string[]; write(): void } {
  const files = wantedFiles(wish)
  const stale = files.filter(({ file, text }) => !existsSync(file) || readFileSync(file, 'utf8') !== text)
  return {
    stale: stale.map(({ file }) => file),
    write: () => {
      for (const { file, text } of stale) {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
        writeFileSync(file, text, { mode: 0o600 })
      }
    },
  }
}

function wantedFiles({ dataFolder, hooksFolder, port, seconds, version }: Wish) {
  const root = pluginFolder(dataFolder)
  const hooks = [...hooksFor({ transport: 'command', port, token: '', hooksFolder, seconds })]
  const plugin = { name: NAME, version, description: DESCRIPTION, author: { name: 'ContextMD' } }
  const marketplace = {
    name: NAME,
    owner: { name: 'ContextMD' },
    description: 'ContextMD on this machine',
    plugins: [{ name: NAME, source: './plugin', description: DESCRIPTION }],
  }
  return [
    { file: join(root, '.claude-plugin', 'marketplace.json'), text: json(marketplace) },
    { file: join(root, 'plugin', '.claude-plugin', 'plugin.json'), text: json(plugin) },
    {
      file: pluginHooksFile(dataFolder),
      text: json({ description: DESCRIPTION, hooks: Object.fromEntries(hooks.map(([event, hook]) => [event, [{ hooks: [hook] }]])) }),
    },
  ]
}

/** Deletes the files that setup wrote, and the folders that are empty then: a person may have put something beside them. */
export function deletePlugin(dataFolder: string): 'nothing' | 'deleted' | 'others-left' {
  const root = pluginFolder(dataFolder)
  const files = filesIn(root)
  const wasThere = [root, ...files].some((path) => existsSync(path))
  for (const file of files) rmSync(file, { force: true })
  for (const folder of [...files.map((file) => dirname(file)), join(root, 'plugin'), root]) removeIfEmpty(folder)
  if (!wasThere) return 'nothing'
  return existsSync(root) ? 'others-left' : 'deleted'
}

function filesIn(root: string): readonly string[] {
  return [
    join(root, '.claude-plugin', 'marketplace.json'),
    join(root, 'plugin', '.claude-plugin', 'plugin.json'),
    join(root, 'plugin', 'hooks', 'hooks.json'),
  ]
}

/** The hooks that the plugin brings; empty where there is none, or none that can be read. */
export function pluginHooks(dataFolder: string): readonly PlacedHook[] {
  const file = pluginHooksFile(dataFolder)
  try {
    return ourHooks(readSettings(readFileSync(file, 'utf8'), file))
  } catch {
    return []
  }
}

/** True for settings in which the plugin is switched on. */
export function isPluginEnabled(settings: Readonly<Record<string, unknown>>): boolean {
  const enabled = settings['enabledPlugins']
  return typeof enabled === 'object' && enabled !== null && PLUGIN_ID in enabled && enabled[PLUGIN_ID] === true
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
