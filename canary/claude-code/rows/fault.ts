/** Something is missing, off or slow: the agent works on, and what can be served is. */
import { must } from '../../row.ts'
import type { Row } from '../../row.ts'
import { until } from '../../contextmd.ts'
import { inOrder } from '../model.ts'
import { calls, say } from '../reply.ts'
import type { Stage } from '../stage.ts'
import { mustBeAllowed, mustBeDenied, mustHaveRun, mustNotSee, mustSee, nth, touch } from './expect.ts'
import { HOLD, hold } from './hold.ts'

const PACK = 'PACK-RULE: releases are written into the ledger.'
const AT_PROMPT = 'PROMPT-RULE: deployments are announced first.'
/** Missed moments are read from the records, in the background. */
const COUNTED_WITHIN_MS = 5_000

async function entries(stage: Stage): Promise<void> {
  await stage.place.entry('pack', `---\ntitle: Ledger\nwhen:\n  - session: start\n---\n${PACK}\n`)
  await stage.place.entry('deploy', `---\ntitle: Deployments\nwhen:\n  - prompt: deploy\n---\n${AT_PROMPT}\n`)
  await stage.place.entry('owners', hold(HOLD))
}

async function noRecords(stage: Stage): Promise<void> {
  await entries(stage)
  await stage.begin(inOrder(calls(touch('a')), calls(touch('a')), say('Done.')))
  await stage.play(['Add a file'], { args: ['--no-session-persistence'] })
  mustSee(nth(stage, 0), PACK)
  mustBeDenied(nth(stage, 1))
  mustSee(nth(stage, 1), HOLD)
  mustBeAllowed(nth(stage, 2))
  mustHaveRun(stage, 'a')
}

/** Without the records of requests there are still lines, and answers that belong to another request. */
async function noRequestRecords(stage: Stage): Promise<void> {
  await entries(stage)
  await stage.begin(inOrder(calls(touch('a')), calls(touch('a')), say('Done.')))
  await stage.play(['Add a file, then deploy'], { env: { CLAUDE_CODE_ELEGANT_MEADOW: '0' } })
  mustBeDenied(nth(stage, 1))
  mustBeAllowed(nth(stage, 2))
  for (const entry of ['pack', 'deploy', 'owners']) await stage.verdict(entry, 'shown')
}

/** The session goes on as if we were not there: nothing of us in what the model sees, no call stopped. */
function mustBeUntouched(stage: Stage): void {
  mustBeAllowed(nth(stage, 1))
  mustHaveRun(stage, 'a')
  for (const text of [PACK, AT_PROMPT, HOLD, 'ContextMD', 'hook error']) mustNotSee(nth(stage, 1), text)
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

/** S8: hooks that time out let the call pass, and are counted. */
async function serverSlow(stage: Stage): Promise<void> {
  await entries(stage)
  const script = inOrder(say('Hello.'), calls(touch('a')), say('Done.'), calls(touch('b')), calls(touch('b')), say('Done.'))
  await stage.begin(script, { setupEnv: { CONTEXTMD_HOOK_TIMEOUT: '' } })
  const session = stage.open()
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
  const isCounted = async (): Promise<boolean> => {
    const { counters = {} } = await stage.server().health()
    return Object.entries(counters).some(([name, count]) => /timed.out/.test(name) && count > 0)
  }
  must(
    await until(isCounted, COUNTED_WITHIN_MS),
    `health should count the hooks that timed out: ${JSON.stringify((await stage.server().health()).counters)}`,
  )
}

/** S14: a session that started without the server is served from its next moment on, the pack too. */
async function startedLate(stage: Stage): Promise<void> {
  await entries(stage)
  const script = inOrder(say('Hello.'), calls(touch('a')), calls(touch('a')), say('Done.'))
  await stage.begin(script, { startServer: false })
  const session = stage.open()
  await session.say('Hello')
  await stage.startServer()
  await session.say('Add a file, then deploy')
  await session.end()
  mustNotSee(nth(stage, 0), PACK)
  mustSee(nth(stage, 1), AT_PROMPT)
  mustBeDenied(nth(stage, 2))
  mustSee(nth(stage, 2), HOLD)
  mustSee(nth(stage, 2), PACK)
  mustBeAllowed(nth(stage, 3))
  await stage.verdict('pack', 'shown')
}

async function commandTransport(stage: Stage): Promise<void> {
  await entries(stage)
  await stage.begin(inOrder(calls(touch('a')), calls(touch('a')), say('Done.')), { setup: ['--transport', 'command'] })
  await stage.play(['Add a file, then deploy'])
  mustSee(nth(stage, 0), PACK)
  mustSee(nth(stage, 0), AT_PROMPT)
  mustBeDenied(nth(stage, 1))
  mustSee(nth(stage, 1), HOLD)
  mustBeAllowed(nth(stage, 2))
  for (const entry of ['pack', 'deploy', 'owners']) await stage.verdict(entry, 'shown')
}

export const FAULT_ROWS: readonly Row<Stage>[] = [
  { name: 'command hooks instead of http', seams: ['session-start inject', 'prompt inject', 'before-tool deny'], run: commandTransport },
  { name: 'G18: no records, the gate is assumed lifted', seams: [], run: noRecords },
  { name: 'no request records: proof by the lines', seams: [], run: noRequestRecords },
  { name: 'the server is down', seams: [], run: serverDown },
  { name: 'S8: the server is slow', seams: [], run: serverSlow },
  { name: 'S14: the server starts late', seams: ['prompt inject'], run: startedLate },
  { name: 'switched off by CONTEXTMD_OFF', seams: [], run: switchedOff },
]
