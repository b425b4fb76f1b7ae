/** Other surroundings: no records, a proxy, set up twice, a command of the person's own, and routes that no plugin sees. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runContextMD, until } from '../../contextmd.ts'
import { AT_PROMPT, NEVER, usual } from '../../kit/entries.ts'
import { mustBeAllowed, mustBeDenied, mustSee, nth } from '../../kit/expect.ts'
import { inOrder } from '../../kit/model.ts'
import { calls, say } from '../../kit/reply.ts'
import { servedAll } from '../../kit/rows/fault.ts'
import { LONG_TIMEOUT } from '../../kit/stage.ts'
import { must } from '../../row.ts'
import type { Row } from '../../row.ts'
import { request } from '../session.ts'
import type { Stage } from '../stage.ts'
import { touch } from '../tools.ts'

const NAMED_WITHIN_MS = 10_000

/** The database is where the server can't find it: the plugin's own word proves. */
const noRecords = (stage: Stage): Promise<void> => servedAll(stage, { env: { OPENCODE_DB: join(stage.place.root, 'elsewhere.db') } })

async function behindProxy(stage: Stage): Promise<void> {
  await usual(stage)
  const dead = 'http://127.0.0.1:9'
  await stage.restart({ env: { HTTP_PROXY: dead, http_proxy: dead, no_proxy: new URL(stage.model.url).host } })
  await stage.begin(inOrder(calls(touch('a')), calls(touch('a')), say('Done.')))
  await stage.play(['Add a file, then deploy'])
  mustSee(nth(stage, 0), AT_PROMPT)
  mustBeDenied(stage, 1)
  mustBeAllowed(stage, 2)
}

/** Set up for the person, and for the project as well: the plugin runs once. */
async function bothScopes(stage: Stage): Promise<void> {
  await usual(stage)
  await stage.begin(inOrder(calls(touch('a')), calls(touch('a')), say('Done.')), { setup: [] })
  const port = String(stage.server().port)
  await runContextMD(stage.place, ['setup', 'opencode', '--yes', '--no-autostart', '--scope', 'project', '--port', port], LONG_TIMEOUT)
  await stage.restart()
  await stage.play(['Add a file, then deploy'])
  mustSee(nth(stage, 0), AT_PROMPT)
  mustBeDenied(stage, 1)
  mustBeAllowed(stage, 2)
  const told = (await stage.server().log()).filter((row) => row.kind === 'before-tool')
  must(told.length === 2, `two calls should be told, each once; it is ${told.length}`)
}

/** A subtask that the person's own command starts is never stopped: an error there breaks the session. */
async function subtaskCommand(stage: Stage): Promise<void> {
  await stage.place.entry('tasks', `---\ntitle: Tasks\nforbid: true\nwhen:\n  - tool: task\n---\n${NEVER}\n`)
  await mkdir(join(stage.place.project, '.opencode', 'command'), { recursive: true })
  await writeFile(
    join(stage.place.project, '.opencode', 'command', 'help.md'),
    '---\nagent: general\nsubtask: true\n---\nHelp with $ARGUMENTS\n',
  )
  await stage.begin(inOrder(say('Done.')))
  const session = await stage.open()
  await session.command('help', 'this')
  must(
    stage.model.requests().some(({ agent }) => agent !== null),
    'the subagent of the command should have run',
  )
}

/** The newer routes ask no plugin: health says so. */
async function newerRoutes(stage: Stage): Promise<void> {
  await usual(stage)
  await stage.begin(inOrder(say('Hello.')))
  const session = await stage.play(['Hello'])
  await request(stage.program(), stage.place.project, 'POST', `/api/session/${session.id()}/prompt`, { prompt: { text: 'Hello' } }).catch(
    () => {},
  )
  const isNamed = async (): Promise<boolean> =>
    ((await stage.server().health()).problems ?? []).some(({ code }) => code === 'opencode_beside_plugins')
  must(await until(isNamed, NAMED_WITHIN_MS), 'health should name the routes that ask no plugin')
}

export const WAY_ROWS: readonly Row<Stage>[] = [
  { name: 'no records: the plugin`s word proves', seams: [], run: noRecords },
  { name: 'a proxy in the environment is not asked', seams: [], run: behindProxy },
  { name: 'set up for the person and the project: the plugin runs once', seams: ['prompt inject', 'before-tool deny'], run: bothScopes },
  { name: "a subtask of the person's own command is let pass", seams: [], run: subtaskCommand },
  { name: 'the newer session routes are named in health', seams: [], run: newerRoutes },
]
