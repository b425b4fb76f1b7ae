/** The hooks as a plugin, the second way to install them: for one session, and installed from the folder as from a marketplace. */
import { join } from 'node:path'
import { PLUGIN_ID, pluginFolder } from '../../../src/harness/claude-code/install-plugin.ts'
import { claudeCode } from '../../../src/harness/claude-code/profile.ts'
import { seamsOf } from '../../kit/common.ts'
import { servedAll } from '../../kit/rows/fault.ts'
import { must } from '../../row.ts'
import type { Row } from '../../row.ts'
import type { Stage } from '../stage.ts'

const SETUP = ['--plugin']

async function forOneSession(stage: Stage): Promise<void> {
  await servedAll(stage, { args: ['--plugin-dir', join(pluginFolder(stage.place.data), 'plugin')] }, SETUP)
  await mustBeToldOnce(stage)
}

async function installed(stage: Stage): Promise<void> {
  await servedAll(stage, {}, SETUP, async () => {
    await stage.command('plugin', 'marketplace', 'add', pluginFolder(stage.place.data))
    await stage.command('plugin', 'install', PLUGIN_ID)
  })
  await mustBeToldOnce(stage)
}

/** No hook stands twice: each of the two calls is told before it, once. */
async function mustBeToldOnce(stage: Stage): Promise<void> {
  const told = (await stage.server().log()).filter(({ kind }) => kind === 'before-tool').length
  must(told === 2, `two calls should be told, each once; ${told} were`)
}

const SEAMS = seamsOf(claudeCode, ['start', 'prompt', 'deny'])

export const PLUGIN_ROWS: readonly Row<Stage>[] = [
  { name: 'plugin for one session: pack, prompt and hold', seams: SEAMS, run: forOneSession },
  { name: 'plugin installed from its folder: pack, prompt and hold', seams: SEAMS, run: installed },
]
