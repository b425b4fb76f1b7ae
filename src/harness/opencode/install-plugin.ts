/**
 * The plugin's file in OpenCode's settings folder: a few lines that name our own copy of the plugin, the port and the folders of the
 * rules. OpenCode finds it by itself, so no settings file of a person is touched. No token is in it.
 */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { PLUGIN_FILE } from './install-hooks.ts'
import type { PluginOptions } from './plugin/plugin.ts'

/** Both `plugin` and `plugins` are read; this one is in the documentation of OpenCode. */
const WRAPPER = join('plugin', 'contextmd.js')
const FIRST_LINE = '// ContextMD for OpenCode, written by "contextmd setup opencode"; "contextmd remove opencode" deletes it.'

/** `configFolder`: `~/.config/opencode`, or `.opencode` of a project. */
export function wrapperIn(configFolder: string): string {
  return join(configFolder, WRAPPER)
}

export function wrapperText(hooksFolder: string, options: PluginOptions): string {
  const plugin = pathToFileURL(join(hooksFolder, PLUGIN_FILE)).href
  return `${FIRST_LINE}
import { contextmd } from ${JSON.stringify(plugin)}

export default { id: "contextmd", server: contextmd(${JSON.stringify(options, null, 2)}) }
`
}

/** True for a file that a setup of ours wrote, of any version. */
export function isOurWrapper(text: string): boolean {
  return text.startsWith(FIRST_LINE)
}
