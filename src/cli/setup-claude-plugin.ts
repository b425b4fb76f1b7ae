/** `contextmd setup claude-code --plugin`: our hooks as a plugin that Claude Code installs itself. No settings are touched by us. */
import {
  type deletePlugin,
  isPluginEnabled,
  planPlugin,
  PLUGIN_ID,
  pluginFolder,
  pluginHooks,
} from '../harness/claude-code/install-plugin.ts'
import { settingsPath } from '../harness/claude-code/install.ts'
import { staleHookFiles, tokenInHookFiles, writeHookFiles } from '../install/hook-scripts.ts'
import { goodHookToken, hookTokensIn, issueHookToken, renewHookToken } from '../install/hook-token.ts'
import { openSettings } from '../install/settings-file.ts'
import { quoted } from '../install/hook.ts'
import { findIn } from '../install/install.ts'
import { readSettings } from '../install/settings-text.ts'
import { DEFAULT_PORT, pathsFrom, type Paths } from '../paths.ts'
import { CommandError, type Io } from './command.ts'
import { planFirstStore } from './first-store.ts'
import { hookSeconds, placeOf, type SetupOptions } from './setup-options.ts'
import { readVersion } from './version.ts'

const HARNESS = 'claude-code'

/** Gives the exit code. */
export function setUp(options: SetupOptions, io: Io): number {
  if (options.transport === 'http')
    throw new CommandError('usage', 'the plugin has command hooks: Claude Code copies it, and a token must not be copied')
  const paths = pathsFrom(io.env)
  const { tokens, host } = hookTokensIn(paths, () => Date.now(), options.inside)
  const present = goodHookToken(tokens, [tokenInHookFiles(paths.hooks)])
  const port = options.port ?? portIn(paths.data) ?? host?.port ?? DEFAULT_PORT
  const wish = { dataFolder: paths.data, hooksFolder: paths.hooks, port, seconds: hookSeconds(io.env), version: readVersion() }
  const plan = planPlugin(wish)
  const store = planFirstStore(paths)
  const isStale = present === null || staleHookFiles(paths.hooks, present).length > 0
  const notes = twiceNote(io)
  if (options.dryRun) {
    const files = [...plan.stale, ...store.files].map((file) => `Would make ${file}`)
    const scripts = isStale ? [`Would also write the hook scripts and their token to ${paths.hooks}.`] : []
    const changes = [...files, ...scripts]
    io.stdout.write(
      lines([...(changes.length === 0 ? ['Nothing would change: the plugin is there.'] : changes), ...notes, 'Nothing was written.']),
    )
    return 0
  }
  const token = present ?? issueHookToken(tokens, HARNESS)
  renewHookToken(tokens, token, Date.now())
  writeHookFiles(paths.hooks, token)
  store.make()
  plan.write()
  const folder = quoted(pluginFolder(paths.data))
  io.stdout.write(
    lines([
      `The plugin for Claude Code is in ${pluginFolder(paths.data)}${host === null ? ` (port ${port})` : ''}.`,
      ...notes,
      'Note: a plugin can allow nothing: Claude Code may ask before it reads the files of your stores. A setup without --plugin allows them.',
      '',
      'Next:',
      `  1. claude plugin marketplace add ${folder}`,
      `  2. claude plugin install ${PLUGIN_ID}`,
      host === null
        ? `  3. contextmd serve${port === DEFAULT_PORT ? '' : ` --port ${port}`}, and start claude anew`
        : '  3. start claude anew in the host, which serves: there is nothing to start',
      `For one session only: claude --plugin-dir ${quoted(`${pluginFolder(paths.data)}/plugin`)}`,
    ]),
  )
  return 0
}

/** What became of its folder. */
export function pluginLines(deleted: ReturnType<typeof deletePlugin>, { data }: Pick<Paths, 'data'>): readonly string[] {
  if (deleted === 'nothing') return []
  if (deleted === 'deleted') return ['The plugin folder for Claude Code is deleted.']
  return [`Our plugin for Claude Code is deleted; what else stands in ${pluginFolder(data)} is not ours and stays.`]
}

/** Lines on how Claude Code forgets the plugin, where its settings still name it. */
export function pluginLeftLines(io: Io): readonly string[] {
  if (!isEnabled(io)) return []
  return [`Claude Code still names the plugin: claude plugin uninstall ${PLUGIN_ID} && claude plugin marketplace remove contextmd`]
}

export function isEnabled(io: Io): boolean {
  const { configFolder, project } = placeOf(io.env, process.cwd())
  const file = settingsPath('user', configFolder, project)
  try {
    return isPluginEnabled(readSettings(openSettings(file).text ?? '', file))
  } catch {
    // settings that nobody can read switch nothing on
    return false
  }
}

function twiceNote(io: Io): readonly string[] {
  const { configFolder, project } = placeOf(io.env, process.cwd())
  const file = settingsPath('user', configFolder, project)
  if (!findIn(file).hasOurs) return []
  return [`Note: hooks of ours are in ${file} too, and each would run twice: contextmd remove claude-code, then this again.`]
}

/** The port that the plugin has been written with. */
function portIn(dataFolder: string): number | null {
  const command = pluginHooks(dataFolder)[0]?.hook['command']
  const port = typeof command === 'string' ? / claude-code (\d+) /.exec(command)?.[1] : undefined
  return port === undefined ? null : Number(port)
}

function lines(all: readonly string[]): string {
  return `${all.join('\n')}\n`
}
