/** Models of the old placement of texts, the default permissions, command hooks in place of http, and what the program loads itself. */
import { join } from 'node:path'
import { seamsOf } from '../../kit/common.ts'
import type { Place } from '../../kit/common.ts'
import { AT_PROMPT, plain } from '../../kit/entries.ts'
import { mustSee, nth } from '../../kit/expect.ts'
import { inOrder } from '../../kit/model.ts'
import { calls, say } from '../../kit/reply.ts'
import { packAtStart, ruleAtPrompt, ruleBesideTool } from '../../kit/rows/beside.ts'
import { servedAll } from '../../kit/rows/fault.ts'
import { inlineHold, pointerReadByTool, pointerReadInShell } from '../../kit/rows/hold.ts'
import { claudeCode } from '../../../src/harness/claude-code/profile.ts'
import { must } from '../../row.ts'
import type { Row } from '../../row.ts'
import { OLD_PLACEMENT_MODEL } from '../session.ts'
import type { Stage } from '../stage.ts'
import { shell } from '../tools.ts'

/** X6: what CLAUDE.md brings along is known, and not served again. */
async function loadedByHarness(stage: Stage): Promise<void> {
  const file = await stage.place.entry('deploy', plain('prompt: deploy', AT_PROMPT))
  await stage.place.write(join(stage.place.project, 'CLAUDE.md'), `# Project\n\n@${file}\n`)
  await stage.begin(inOrder(calls(shell('ls')), say('Fine.')))
  await stage.play(['Now deploy it, please'])
  mustSee(nth(stage, 1), AT_PROMPT)
  must((await stage.outcomes('deploy')).join() === 'known', `the entry should be known; it is ${(await stage.outcomes('deploy')).join()}`)
}

const OLD = { model: OLD_PLACEMENT_MODEL }
/** Nothing but the gated call itself is allowed by hand: what is named must be readable all the same. */
const DEFAULT = { permissions: 'default', args: ['--allowedTools', 'Bash(touch:*)'] }

const row = (name: string, places: readonly Place[], run: (stage: Stage) => Promise<unknown>): Row<Stage> => ({
  name,
  seams: seamsOf(claudeCode, places),
  run: async (stage) => void (await run(stage)),
})

export const WAY_ROWS: readonly Row<Stage>[] = [
  row('X6: what the program loads itself is not served again', [], loadedByHarness),
  row('old placement: pack at session start', ['start'], (stage) => packAtStart(stage, OLD)),
  row('old placement: rule at a prompt', ['prompt'], (stage) => ruleAtPrompt(stage, OLD)),
  row('old placement: rule beside a tool', ['beside'], (stage) => ruleBesideTool(stage, OLD)),
  row('old placement: inline hold', ['deny'], (stage) => inlineHold(stage, OLD)),
  row('old placement: pointer hold, read tool', ['deny'], (stage) => pointerReadByTool(stage, OLD)),
  row('default permissions: inline hold', ['deny'], (stage) => inlineHold(stage, DEFAULT)),
  row('default permissions: pointer hold, read tool', ['deny'], (stage) => pointerReadByTool(stage, DEFAULT)),
  row('default permissions: pointer hold, read in the shell', ['deny'], (stage) => pointerReadInShell(stage, DEFAULT)),
  row('command hooks instead of http', ['start', 'prompt', 'deny'], (stage) => servedAll(stage, {}, ['--transport', 'command'])),
]
