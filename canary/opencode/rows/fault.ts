/** Something is missing, off or slow: the agent works on, and what can be served is. */
import { join } from 'node:path'
import { until } from '../../contextmd.ts'
import { must } from '../../row.ts'
import type { Row } from '../../row.ts'
import { inOrder } from '../model.ts'
import { calls, say } from '../reply.ts'
import { request } from '../session.ts'
import type { Stage } from '../stage.ts'
import { mustBeAllowed, mustBeDenied, mustHaveRun, mustNotSee, mustSee, nth, touch } from './expect.ts'
import { HOLD, hold } from './hold.ts'

const PACK = 'PACK-RULE: releases are written into the ledger.'
const AT_PROMPT = 'PROMPT-RULE: deployments are announced first.'
const COUNTED_WITHIN_MS = 5_000

async function entries(stage: Stage): Promise<void> {
  await stage.place.entry('pack', `---\ntitle: Ledger\nwhen:\n  - session: start\n---\n${PACK}\n`)
  await stage.place.entry('deploy', `---\ntitle: Deployments\nwhen:\n  - prompt: deploy\n---\n${AT_PROMPT}\n`)
  await stage.place.entry('owners', hold(HOLD))
}

/** The session goes on as if we were not there: nothing of us in what the model sees, no call stopped. */
function mustBeUntouched(stage: Stage): void {
  mustBeAllowed(nth(stage, 1))
  mustHaveRun(stage, 'a')
  for (const text of [PACK, AT_PROMPT, HOLD, 'ContextMD']) mustNotSee(nth(stage, 1), text)
}

/** The database is where the server can't find it: the plugin's own word proves. A second look at the calls of a resumed session can't be had. */
async function noRecords(stage: Stage): Promise<void> {
  await entries(stage)
  await stage.restart({ env: { OPENCODE_DB: join(stage.place.root, 'elsewhere.db') } })
  await stage.begin(inOrder(calls(touch('a')), calls(touch('a')), say('Done.')))
  await stage.play(['Add a file, then deploy'])
  mustSee(nth(stage, 0), PACK)
  mustBeDenied(nth(stage, 1))
  mustSee(nth(stage, 1), HOLD)
  mustBeAllowed(nth(stage, 2))
  for (const entry of ['pack', 'deploy', 'owners']) await stage.verdict(entry, 'shown')
}

async function serverDown(stage: Stage): Promise<void> {
  await entries(stage)
  await stage.begin(inOrder(calls(touch('a')), say('Done.')), { startServer: false })
  await stage.play(['Add a file, then deploy'])
  mustBeUntouched(stage)
}

/** By the person's environment, and with a proxy in it that must not be asked. */
async function switchedOff(stage: Stage): Promise<void> {
  await entries(stage)
  const script = inOrder(calls(touch('a')), say('Done.'))
  await stage.restart({ env: { CONTEXTMD_OFF: '1' } })
  await stage.begin(script)
  await stage.play(['Add a file, then deploy'])
  mustBeUntouched(stage)
}

async function behindProxy(stage: Stage): Promise<void> {
  await entries(stage)
  const dead = 'http://127.0.0.1:9'
  await stage.restart({ env: { HTTP_PROXY: dead, http_proxy: dead, no_proxy: new URL(stage.model.url).host } })
  await stage.begin(inOrder(calls(touch('a')), calls(touch('a')), say('Done.')))
  await stage.play(['Add a file, then deploy'])
  mustSee(nth(stage, 0), AT_PROMPT)
  mustBeDenied(nth(stage, 1))
  mustBeAllowed(nth(stage, 2))
}

/** S8: moments that time out let the call pass, and are counted. */
async function serverSlow(stage: Stage): Promise<void> {
  await entries(stage)
  const script = inOrder(say('Hello.'), calls(touch('a')), say('Done.'), calls(touch('b')), calls(touch('b')), say('Done.'))
  await stage.begin(script, { setupEnv: { CONTEXTMD_HOOK_TIMEOUT: '' } })
  const session = await stage.play(['Hello'])
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
  mustBeDenied(nth(stage, 4))
  mustSee(nth(stage, 4), HOLD)
  mustBeAllowed(nth(stage, 5))
  const isCounted = async (): Promise<boolean> => {
    const { counters = {} } = await stage.server().health()
    return Object.entries(counters).some(([name, count]) => /timed.out/.test(name) && count > 0)
  }
  must(
    await until(isCounted, COUNTED_WITHIN_MS),
    `health should count the moments that timed out: ${JSON.stringify((await stage.server().health()).counters)}`,
  )
}

/** S14: a session that started without the server is served from its next moment on, the pack too. */
async function startedLate(stage: Stage): Promise<void> {
  await entries(stage)
  await stage.begin(inOrder(say('Hello.'), calls(touch('a')), calls(touch('a')), say('Done.')), { startServer: false })
  const session = await stage.play(['Hello'])
  await stage.startServer()
  await session.say('Add a file, then deploy')
  mustNotSee(nth(stage, 0), PACK)
  mustSee(nth(stage, 1), AT_PROMPT)
  mustSee(nth(stage, 1), PACK)
  mustBeDenied(nth(stage, 2))
  mustSee(nth(stage, 2), HOLD)
  mustBeAllowed(nth(stage, 3))
  await stage.verdict('pack', 'shown')
}

/** The newer routes ask no plugin: health says so. */
async function newerRoutes(stage: Stage): Promise<void> {
  await entries(stage)
  await stage.begin(inOrder(say('Hello.')))
  const session = await stage.play(['Hello'])
  await request(stage.program(), stage.place.project, 'POST', `/api/session/${session.id}/prompt`, { prompt: { text: 'Hello' } }).catch(
    () => {},
  )
  const isNamed = async (): Promise<boolean> =>
    ((await stage.server().health()).problems ?? []).some(({ code }) => code === 'opencode_beside_plugins')
  must(await until(isNamed, COUNTED_WITHIN_MS), 'health should name the routes that ask no plugin')
}

export const FAULT_ROWS: readonly Row<Stage>[] = [
  { name: 'no records: the plugin`s word proves', seams: [], run: noRecords },
  { name: 'the server is down', seams: [], run: serverDown },
  { name: 'S8: the server is slow', seams: [], run: serverSlow },
  { name: 'S14: the server starts late', seams: ['prompt inject'], run: startedLate },
  { name: 'switched off by CONTEXTMD_OFF', seams: [], run: switchedOff },
  { name: 'a proxy in the environment is not asked', seams: [], run: behindProxy },
  { name: 'the newer session routes are named in health', seams: [], run: newerRoutes },
]
