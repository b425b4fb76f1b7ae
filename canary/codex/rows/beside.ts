/** Text beside a moment: at the session's start, at a prompt, beside and after a call. */
import type { Row, SeamName } from '../../row.ts'
import { inOrder } from '../model.ts'
import { calls, patch, say, script, shell } from '../reply.ts'
import { CODE_MODEL } from '../session.ts'
import type { Stage } from '../stage.ts'
import { mustBeAllowed, mustNotSee, mustSee, nth } from './expect.ts'

const PACK = 'PACK-RULE: this project keeps its releases in a ledger.'
const AT_PROMPT = 'PROMPT-RULE: deployments are announced in the channel first.'
const BESIDE = 'BESIDE-RULE: keep generated files out of listings.'
const AFTER = 'AFTER-RULE: this warning is known, open no ticket.'
const FAILED = 'FAILURE-RULE: a missing folder is made by the bootstrap script.'

async function packAtStart(stage: Stage): Promise<void> {
  await stage.place.entry('pack', `---\ntitle: Ledger\nwhen:\n  - session: start\n---\n${PACK}\n`)
  await stage.begin(inOrder(say('Hello.')))
  await stage.play(['Hello'])
  mustSee(nth(stage, 0), PACK)
  await stage.verdict('pack', 'shown')
}

async function ruleAtPrompt(stage: Stage): Promise<void> {
  await stage.place.entry('deploy', `---\ntitle: Deployments\nwhen:\n  - prompt: deploy\n---\n${AT_PROMPT}\n`)
  await stage.begin(inOrder(say('Fine.'), say('Fine.')))
  await stage.play(['Tell me a story', 'Now deploy it, please'])
  mustNotSee(nth(stage, 0), AT_PROMPT)
  mustSee(nth(stage, 1), AT_PROMPT)
  await stage.verdict('deploy', 'shown')
}

async function ruleBesideTool(stage: Stage): Promise<void> {
  await stage.place.entry('listing', `---\ntitle: Listings\nwhen:\n  - command: ls\n---\n${BESIDE}\n`)
  await stage.begin(inOrder(calls(shell('ls')), calls(shell('ls -a')), say('Done.')))
  await stage.play(['List the files'])
  mustNotSee(nth(stage, 0), BESIDE)
  mustSee(nth(stage, 1), BESIDE)
  mustBeAllowed(nth(stage, 1))
  // Known by now: not served a second time.
  mustSee(nth(stage, 2), BESIDE)
  await stage.verdict('listing', 'shown')
}

/** One shell call, whose result a rule is about. */
async function ruleAfter(stage: Stage, trigger: string, text: string, command: string): Promise<void> {
  await stage.place.entry('after', `---\ntitle: After\nwhen:\n${trigger}---\n${text}\n`)
  await stage.begin(inOrder(calls(shell('echo all is well')), calls(shell(command)), say('Done.')))
  await stage.play(['Go'])
  mustNotSee(nth(stage, 1), text)
  mustSee(nth(stage, 2), text)
  await stage.verdict('after', 'shown')
}

/** A patch has no command: its files and what it adds are read from its text. */
async function ruleBesidePatch(stage: Stage): Promise<void> {
  await stage.place.entry(
    'docs',
    `---
title: Docs
when:
  - path: docs/**
    access: write
    content: lorem
---
${BESIDE}
`,
  )
  await stage.begin(
    inOrder(calls(patch('*** Add File: other.txt', '+lorem')), calls(patch('*** Add File: docs/a.txt', '+lorem')), say('Done.')),
  )
  await stage.play(['Write the docs'])
  mustNotSee(nth(stage, 1), BESIDE)
  mustSee(nth(stage, 2), BESIDE)
  mustBeAllowed(nth(stage, 2))
  await stage.verdict('docs', 'shown')
}

/** In code mode the calls stand in a script. */
async function inScript(stage: Stage): Promise<void> {
  await stage.place.entry(
    'listing',
    `---
title: Listings
when:
  - command: ls
---
${BESIDE}
`,
  )
  await stage.place.entry(
    'after',
    `---
title: After
when:
  - failed: true
---
${FAILED}
`,
  )
  const code = 'const r = await tools.exec_command({cmd: "ls; ls missing-folder"}); text(r.output)'
  await stage.begin(inOrder(calls(script(code)), say('Done.')))
  await stage.play(['List the files'], { model: CODE_MODEL })
  mustSee(nth(stage, 1), BESIDE)
  mustSee(nth(stage, 1), FAILED)
  await stage.verdict('listing', 'shown')
  await stage.verdict('after', 'shown')
}

const row = (name: string, seams: readonly SeamName[], run: Row<Stage>['run']): Row<Stage> => ({ name, seams, run })

export const BESIDE_ROWS: readonly Row<Stage>[] = [
  row('pack at session start', ['session-start inject'], packAtStart),
  row('rule at a prompt', ['prompt inject'], ruleAtPrompt),
  row('rule beside a tool', ['before-tool inject'], ruleBesideTool),
  row('rule after a tool (output)', ['after-tool inject'], (stage) =>
    ruleAfter(stage, '  - output: deprecated gadget\n', AFTER, 'echo "warning: deprecated gadget"'),
  ),
  row('rule after a failure', ['after-tool inject'], (stage) => ruleAfter(stage, '  - failed: true\n', FAILED, 'ls missing-folder')),
  row('M8: rule after a failure masked by a printed exit', ['after-tool inject'], (stage) =>
    ruleAfter(stage, '  - failed: true\n', FAILED, 'ls missing-folder; echo "exit=$?"'),
  ),
  row('M5: rule beside a patch, by its paths and what it adds', ['before-tool inject'], ruleBesidePatch),
  row('code mode: rules beside and after a call in a script', ['before-tool inject', 'after-tool inject'], inScript),
]
