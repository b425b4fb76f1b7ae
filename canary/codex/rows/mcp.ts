/**
 * Hooks that call our tool (`mcp_tool`) instead of a process: the same promises by another way, and what is this way's own.
 *
 * Rows of the other files are played again with hooks of this kind: one of each event and seam.
 */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { codex } from '../../../src/harness/codex/profile.ts'
import { runContextMD } from '../../contextmd.ts'
import { commonRows } from '../../kit/common.ts'
import { AT_PROMPT, HOLD, hold, plain } from '../../kit/entries.ts'
import { mustBeAllowed, mustBeDenied, mustHaveRun, mustNotSee, mustSee, nth } from '../../kit/expect.ts'
import { inOrder } from '../../kit/model.ts'
import { call, calls, say } from '../../kit/reply.ts'
import type { Block } from '../../kit/reply.ts'
import { allText } from '../../kit/request.ts'
import { must } from '../../row.ts'
import type { Row, SeamName } from '../../row.ts'
import { CODE_MODEL } from '../session.ts'
import type { Stage } from '../stage.ts'
import { script, touch } from '../tools.ts'
import { CODE_MODE_ROWS } from './code-mode.ts'
import { EPOCH_ROWS } from './epoch.ts'
import { PATCH_ROWS } from './patch.ts'
import { SUBAGENT_ROWS } from './subagent.ts'
import { WAY_ROWS } from './way.ts'

/** Name of our server in the program's settings, and of its one tool. */
const SERVER = 'contextmd_hooks'
const TOOL = 'moment'
const FORGED = 'forged-session'
const SETUP = ['--transport', 'mcp'] as const

/** Of the other files, by how their names begin. */
const AGAIN = [
  'pack at session start',
  'rule at a prompt',
  'rule after a tool',
  'rule after a failure',
  'code mode: rules beside and after',
  'G21',
  'pointer hold, read in the shell',
  'code mode: pointer hold',
  'G15',
  'hold on a patch',
  'G20',
  'G19',
  'T8',
  'T7: resume',
  'T7: clear',
  'T9: a subagent',
  'T13',
  'codex exec',
  'G18',
  'S8',
  'switched off by CONTEXTMD_OFF',
] as const

function again(row: Row<Stage>): Row<Stage> {
  const inThisWay = (stage: Stage): Stage => ({
    ...stage,
    begin: (script, options = {}) => stage.begin(script, { ...options, setup: [...(options.setup ?? []), ...SETUP] }),
  })
  return { ...row, name: `mcp: ${row.name}`, run: (stage) => row.run(inThisWay(stage)) }
}

async function entries(stage: Stage): Promise<void> {
  await stage.place.entry('deploy', plain('prompt: deploy', AT_PROMPT))
  await stage.place.entry('owners', hold(HOLD))
}

/** S14: the program connects when a session starts. Without the server at that moment the whole session is without it, and goes on. */
async function downAtStart(stage: Stage): Promise<void> {
  await entries(stage)
  const script = inOrder(
    calls(touch('a')),
    say('Done.'),
    calls(touch('b')),
    say('Done.'),
    calls(touch('c')),
    calls(touch('c')),
    say('Done.'),
  )
  await stage.begin(script, { startServer: false, setup: SETUP })
  const session = await stage.open()
  await session.say('Add a file, then deploy')
  await stage.startServer()
  await session.say('Add another, then deploy')
  await session.end()
  mustBeAllowed(stage, 1)
  mustBeAllowed(stage, 3)
  mustNotSee(nth(stage, 3), AT_PROMPT)
  mustHaveRun(stage, 'a', 'b')
  await stage.play(['Add one more, then deploy'])
  mustSee(nth(stage, 4), AT_PROMPT)
  mustBeDenied(stage, 5)
  mustBeAllowed(stage, 6)
}

/** A server that goes away and comes back is found again in the same session. */
async function awayAndBack(stage: Stage): Promise<void> {
  await entries(stage)
  const script = inOrder(say('Hello.'), calls(touch('a')), say('Done.'), calls(touch('b')), calls(touch('b')), say('Done.'))
  await stage.begin(script, { setup: SETUP })
  const session = await stage.open()
  await session.say('Hello')
  await stage.server().stop()
  await session.say('Add a file')
  await stage.startServer()
  await session.say('Add another, then deploy')
  await session.end()
  mustBeAllowed(stage, 2)
  mustHaveRun(stage, 'a')
  mustSee(nth(stage, 3), AT_PROMPT)
  mustBeDenied(stage, 4)
  mustSee(nth(stage, 4), HOLD)
  mustBeAllowed(stage, 5)
}

/** What the model would post if it had found the key in the hook file. */
async function forged(stage: Stage): Promise<Readonly<Record<string, unknown>>> {
  const text = await readFile(join(stage.place.harnessConfig, 'hooks.json'), 'utf8')
  const key = /"key": "([^"]+)"/.exec(text)?.[1]
  must(key !== undefined, 'the hooks should carry a key')
  return { key, hook_event_name: 'UserPromptSubmit', session_id: FORGED, cwd: stage.place.project, prompt: 'deploy', turn_id: 't' }
}

/** The model does not see the tool, and what it posts all the same moves nothing. */
async function modelCalls(stage: Stage): Promise<void> {
  await entries(stage)
  let input: Readonly<Record<string, unknown>> = {}
  const asTool = (): Block => call(TOOL, input, `mcp__${SERVER}`)
  await stage.begin(
    inOrder(() => calls(asTool()), calls(touch('a')), calls(touch('a')), say('Done.')),
    { setup: SETUP },
  )
  input = await forged(stage)
  await stage.play(['Add a file'])
  mustNotSee(nth(stage, 1), AT_PROMPT)
  mustNotSee(nth(stage, 0), SERVER)
  mustBeDenied(stage, 2)
  mustSee(nth(stage, 2), HOLD)
  mustBeAllowed(stage, 3)
  await mustNotBeLogged(stage)
}

async function modelCallsInScript(stage: Stage): Promise<void> {
  await entries(stage)
  let input: object = {}
  const asScript = (): Block =>
    script(
      `try { text(JSON.stringify(await tools.mcp__${SERVER}__${TOOL}(${JSON.stringify(input)}))) } catch (e) { text("refused: " + e) }`,
    )
  const add = calls(script('await tools.exec_command({cmd: "touch a"}); text("added")'))
  await stage.begin(
    inOrder(() => calls(asScript()), add, say('Done.')),
    { setup: SETUP },
  )
  input = await forged(stage)
  await stage.play(['Add a file'], { model: CODE_MODEL })
  must(allText(nth(stage, 1)).includes('refused: '), 'a script should find no such tool')
  mustNotSee(nth(stage, 1), AT_PROMPT)
  mustBeDenied(stage, 2)
  mustSee(nth(stage, 2), HOLD)
  await mustNotBeLogged(stage)
}

async function mustNotBeLogged(stage: Stage): Promise<void> {
  const rows = await stage.server().log()
  must(!rows.some(({ session }) => session === FORGED), 'what the model posted should be in no row of the log')
}

/** Setup puts hooks, server and trust there, and remove takes all of it back, byte for byte; another way takes the server out. */
async function takenBack(stage: Stage): Promise<void> {
  const files = ['config.toml', 'hooks.json'].map((name) => join(stage.place.harnessConfig, name))
  const theirs = '{\n  "hooks": { "PreToolUse": [{ "hooks": [{ "type": "command", "command": "true" }] }] }\n}\n'
  await stage.place.write(files[1] ?? '', theirs)
  const before = await Promise.all(files.map((file) => readFile(file, 'utf8')))
  await stage.begin(inOrder(), { startServer: false, setup: SETUP })
  const config = await readFile(files[0] ?? '', 'utf8')
  must(config.includes(`[mcp_servers.${SERVER}]`) && config.includes('authorization = "Bearer '), `the server should stand in: ${config}`)
  must(((await stat(files[0] ?? '')).mode & 0o077) === 0, 'the file with the token should be private')
  const env = { CODEX_HOME: stage.place.harnessConfig, CONTEXTMD_CODEX: stage.program }
  const againText = await runContextMD(stage.place, ['setup', 'codex', '--yes'], { ...env, CONTEXTMD_HOOK_TIMEOUT: '10' })
  must(againText.includes('Nothing to do'), `a second setup should have nothing to do: ${againText}`)
  await runContextMD(stage.place, ['setup', 'codex', '--yes', '--transport', 'command'], env)
  must(!(await readFile(files[0] ?? '', 'utf8')).includes(SERVER), 'without tool hooks the server should be taken out')
  await runContextMD(stage.place, ['setup', 'codex', '--yes', '--transport', 'mcp'], env)
  await runContextMD(stage.place, ['remove', 'codex'], env)
  const after = await Promise.all(files.map((file) => readFile(file, 'utf8')))
  for (const [index, text] of after.entries()) must(text === before[index], `${files[index]} should be as it was, it is:\n${text}`)
}

const DENY: readonly SeamName[] = ['before-tool deny', 'before-tool inject']

export const MCP_ROWS: readonly Row<Stage>[] = [
  ...[...commonRows(codex), ...PATCH_ROWS, ...CODE_MODE_ROWS, ...EPOCH_ROWS, ...SUBAGENT_ROWS, ...WAY_ROWS].flatMap((row) =>
    'run' in row && AGAIN.some((begin) => row.name.startsWith(begin)) ? [again(row)] : [],
  ),
  {
    name: 'S14: mcp: the server is down when a session starts: that session goes on without, the next is served',
    seams: DENY,
    run: downAtStart,
  },
  { name: 'mcp: the server goes away and comes back', seams: DENY, run: awayAndBack },
  { name: 'mcp: the model calls the tool with the key: it moves nothing', seams: DENY, run: modelCalls },
  {
    name: 'mcp: code mode: a script of the model calls the tool with the key: it moves nothing',
    seams: [],
    run: modelCallsInScript,
  },
  { name: 'S10: mcp: set up twice, by another way, and taken back byte for byte', seams: [], run: takenBack },
]
