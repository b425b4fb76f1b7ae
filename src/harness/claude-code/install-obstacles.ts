/**
 * What in Claude Code's settings keeps our hooks from running. The harness skips them without a word then, so setup says it (S13).
 *
 * Managed settings outrank all others; `--bare` and `--setting-sources ""` can't be seen from here.
 */
import type { SettingsValue } from '../../install/settings-text.ts'

interface Layer {
  readonly file: string
  readonly value: SettingsValue
}

/** Where an administrator's settings stand, by platform. */
export function managedSettings(platform: NodeJS.Platform): string {
  return platform === 'darwin' ? '/Library/Application Support/ClaudeCode/managed-settings.json' : '/etc/claude-code/managed-settings.json'
}

/** One sentence for each obstacle. `address` is null when no http hook is used. */
export function obstacles(layers: readonly Layer[], address: string | null): readonly string[] {
  const found: string[] = []
  for (const { file, value } of layers) {
    if (value['disableAllHooks'] === true)
      found.push(`Hooks are switched off by "disableAllHooks" in ${file}: nothing will be served until it is taken out.`)
    if (value['allowManagedHooksOnly'] === true) {
      found.push(
        `${file} allows an administrator's hooks only ("allowManagedHooksOnly"): ours will not run, and only the administrator can change that.`,
      )
    }
  }
  if (address === null) return found
  const addresses = lists(layers, 'allowedHttpHookUrls')
  if (addresses.length > 0 && !addresses.some(({ items }) => items.some((pattern) => fits(address, pattern)))) {
    found.push(`"allowedHttpHookUrls" in ${names(addresses)} does not allow ${address}: add it there, or use --transport command.`)
  }
  const variables = lists(layers, 'httpHookAllowedEnvVars')
  if (variables.length > 0 && !variables.some(({ items }) => items.includes('CONTEXTMD_OFF'))) {
    found.push(
      `"httpHookAllowedEnvVars" in ${names(variables)} leaves out CONTEXTMD_OFF: that variable will have no effect ("contextmd off" has).`,
    )
  }
  return found
}

interface List {
  readonly file: string
  readonly items: readonly string[]
}

function lists(layers: readonly Layer[], key: string): readonly List[] {
  return layers.flatMap(({ file, value }) => {
    const items = value[key]
    return Array.isArray(items) ? [{ file, items: items.filter((item) => typeof item === 'string') }] : []
  })
}

function names(found: readonly List[]): string {
  return found.map(({ file }) => file).join(' and ')
}

/** `*` in a pattern stands for any text. */
function fits(address: string, pattern: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`).test(address)
}
