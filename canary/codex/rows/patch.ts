/** Patches: they have no command, and their files stand in their text. */
import { HOLD, plain } from '../../kit/entries.ts'
import { mustBeAllowed, mustBeDenied, mustHaveRun, mustNotSee, mustSee, nth } from '../../kit/expect.ts'
import { inOrder } from '../../kit/model.ts'
import { calls, say } from '../../kit/reply.ts'
import type { Row } from '../../row.ts'
import type { Stage } from '../stage.ts'
import { patch } from '../tools.ts'

const BESIDE = 'BESIDE-RULE: docs are written in plain words.'

/** A patch has no command: its files and what it adds are read from its text. */
async function ruleBesidePatch(stage: Stage): Promise<void> {
  await stage.place.entry('docs', plain('path: docs/**', BESIDE, 'access: write', 'content: lorem'))
  await stage.begin(
    inOrder(calls(patch('*** Add File: other.txt', '+lorem')), calls(patch('*** Add File: docs/a.txt', '+lorem')), say('Done.')),
  )
  await stage.play(['Write the docs'])
  mustNotSee(nth(stage, 1), BESIDE)
  mustSee(nth(stage, 2), BESIDE)
  mustBeAllowed(stage, 2)
  await stage.verdict('docs', 'shown')
}

async function heldPatch(stage: Stage): Promise<void> {
  await stage.place.entry('owners', `---\ntitle: Owners\nmust-know: true\nwhen:\n  - path: docs/**\n    access: write\n---\n${HOLD}\n`)
  const change = calls(patch('*** Add File: docs/a.txt', '+lorem'))
  await stage.begin(inOrder(change, change, say('Done.')))
  await stage.play(['Write the docs'])
  mustBeDenied(stage, 1)
  mustSee(nth(stage, 1), HOLD)
  mustBeAllowed(stage, 2)
  mustHaveRun(stage, 'docs/a.txt')
}

export const PATCH_ROWS: readonly Row<Stage>[] = [
  { name: 'M5: rule beside a patch, by its paths and what it adds', seams: ['before-tool inject'], run: ruleBesidePatch },
  { name: 'hold on a patch', seams: ['before-tool deny', 'before-tool inject'], run: heldPatch },
]
