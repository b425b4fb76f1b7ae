/** Something is missing, off or slow: the agent works on, and what can be served is. */
import { runContextMD } from '../../contextmd.ts'
import type { Row } from '../../row.ts'
import { inOrder } from '../model.ts'
import { calls, say } from '../reply.ts'
import type { Stage } from '../stage.ts'
import { mustBeAllowed, mustBeDenied, mustHaveRun, mustNotSee, mustSee, nth, touch } from './expect.ts'
import { HOLD, hold } from './hold.ts'

const PACK = 'PACK-RULE: releases are written into the ledger.'
const AT_PROMPT = 'PROMPT-RULE: deployments are announced first.'
const NEVER = 'NEVER-RULE: no new files in the release week.'

async function entries(stage: Stage): Promise<void> {
  await stage.place.entry('pack', `---\ntitle: Ledger\nwhen:\n  - session: start\n---\n${PACK}\n`)
  await stage.place.entry('deploy', `---\ntitle: Deployments\nwhen:\n  - prompt: deploy\n---\n${AT_PROMPT}\n`)
  await stage.place.entry('owners', hold(HOLD))
}

/** The session goes on as if we were not there: nothing of us in what the model sees, no call stopped. */
function mustBeUntouched(stage: Stage): void {
  mustBeAllowed(nth(stage, 1))
  mustHaveRun(stage, 'a')
  for (const text of [PACK, AT_PROMPT, HOLD, 'ContextMD', 'Hook denied']) mustNotSee(nth(stage, 1), text)
}

async function serverDown(stage: Stage): Promise<void> {
  await entries(stage)
  await stage.begin(inOrder(calls(touch('a')), say('Done.')), { startServer: false })
  await stage.play(['Add a file, then deploy'])
  mustBeUntouched(stage)
}

async function switchedOff(stage: Stage): Promise<void> {
  await entries(stage)
  await stage.begin(inOrder(calls(touch('a')), say('Done.')))
  await stage.play(['Add a file, then deploy'], { env: { CONTEXTMD_OFF: '1' } })
  mustBeUntouched(stage)
}

/** S8: hooks that time out let the call pass. */
async function serverSlow(stage: Stage): Promise<void> {
  await entries(stage)
  const script = inOrder(say('Hello.'), calls(touch('a')), say('Done.'), calls(touch('b')), calls(touch('b')), say('Done.'))
  await stage.begin(script, { setupEnv: { CONTEXTMD_HOOK_TIMEOUT: '' } })
  const session = stage.open({ way: 'acp' })
  await session.say('Hello')
  // A process that stands still is the slowest there is: the kernel takes the connection, nobody answers.
  const pid = await stage.server().pid()
  process.kill(pid, 'SIGSTOP')
  try {
    await session.say('Add a file, then deploy')
  } finally {
    process.kill(pid, 'SIGCONT')
  }
  mustBeAllowed(nth(stage, 2))
  mustHaveRun(stage, 'a')
  await session.say('Add another')
  await session.end()
  mustBeDenied(nth(stage, 4))
  mustSee(nth(stage, 4), HOLD)
  mustBeAllowed(nth(stage, 5))
}

/** S14: a session that started without the server is served from its next moment on, the pack too. */
async function startedLate(stage: Stage): Promise<void> {
  await entries(stage)
  await stage.begin(inOrder(say('Hello.'), calls(touch('a')), calls(touch('a')), say('Done.')), { startServer: false })
  const session = stage.open({ way: 'acp' })
  await session.say('Hello')
  await stage.startServer()
  await session.say('Add a file, then deploy')
  await session.end()
  mustBeDenied(nth(stage, 2))
  mustSee(nth(stage, 2), HOLD)
  mustBeAllowed(nth(stage, 3))
  mustSee(nth(stage, 3), PACK)
  mustSee(nth(stage, 3), AT_PROMPT)
  await stage.verdict('pack', 'shown')
}

async function lifted(stage: Stage): Promise<void> {
  await stage.place.entry('week', `---\ntitle: Release week\nforbid: true\nwhen:\n  - command: touch\n---\n${NEVER}\n`)
  await stage.begin(inOrder(calls(touch('a')), say('It is forbidden.'), calls(touch('a')), say('Done.')))
  const session = stage.open()
  await session.say('Add a file')
  await runContextMD(stage.place, ['lift', 'rules/week'], {})
  await session.say('Now you may')
  await session.end()
  mustBeDenied(nth(stage, 1))
  mustBeAllowed(nth(stage, 3))
  mustHaveRun(stage, 'a')
}

/** The project's own hook file, in a folder that the person trusts. */
async function projectScope(stage: Stage): Promise<void> {
  await entries(stage)
  await stage.begin(inOrder(calls(touch('a')), calls(touch('a')), say('Done.')), { setup: ['--scope', 'project'] })
  await stage.play(['Add a file, then deploy'], { args: ['--trust'] })
  mustBeDenied(nth(stage, 1))
  mustBeAllowed(nth(stage, 2))
  mustSee(nth(stage, 2), AT_PROMPT)
}

export const FAULT_ROWS: readonly Row<Stage>[] = [
  { name: 'the server is down', seams: [], run: serverDown },
  { name: 'S8: the server is slow', seams: [], run: serverSlow },
  { name: 'S14: the server starts late', seams: ['before-tool inject'], run: startedLate },
  { name: 'switched off by CONTEXTMD_OFF', seams: [], run: switchedOff },
  { name: 'contextmd lift frees a forbidden call', seams: [], run: lifted },
  { name: 'hooks in the project`s own folder', seams: ['before-tool deny'], run: projectScope },
]
