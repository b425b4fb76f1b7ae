/** The endpoint for agents: a rule that the model reads by our own tool is read (law 12), by the program's own records. */
import { runContextMD } from '../../contextmd.ts'
import { must } from '../../row.ts'
import type { Row } from '../../row.ts'
import { HOLD, hold } from '../entries.ts'
import { mustBeAllowed, mustHaveRun, nth, touch } from '../expect.ts'
import { inOrder } from '../model.ts'
import { calls, say } from '../reply.ts'
import type { Block } from '../reply.ts'
import { allText } from '../request.ts'
import type { Stage } from '../stage.ts'

export interface Registered {
  /** Of `contextmd setup`: which of the program's settings get the endpoint. */
  readonly scope: 'user' | 'project'
  /** A call of one of its tools. */
  readonly tool: (name: string, input: Readonly<Record<string, unknown>>) => Block
}

/** As a person does it. */
export async function register(stage: Stage, { scope }: Pick<Registered, 'scope'>): Promise<void> {
  const args = ['setup', stage.rig.profile.name, '--mcp', '--scope', scope, '--port', String(stage.server().port)]
  const printed = await runContextMD(stage.place, args, stage.rig.setupEnv)
  must(printed.includes('can search and read entries'), `setup should say what it did: ${printed}`)
}

/** Searched, read, and then the gated call goes on at once. */
async function readFirst(stage: Stage, way: Registered): Promise<void> {
  await stage.place.entry('owners', hold(HOLD))
  const search = calls(way.tool('search_entries', { query: 'owners' }))
  await stage.begin(inOrder(search, calls(way.tool('read_entry', { id: 'rules/owners' })), calls(touch(stage, 'a')), say('Done.')))
  await register(stage, way)
  await stage.play(['Add a file'])
  must(allText(nth(stage, 1)).includes('rules/owners: Owners.'), 'the search should find the rule')
  must(
    /^File: .*owners\.md$/m.test(allText(nth(stage, 2))) && allText(nth(stage, 2)).includes(HOLD),
    'the read should give the rule and its file',
  )
  mustBeAllowed(stage, 3)
  mustHaveRun(stage, 'a')
  await mustBeLiftedAsRead(stage)
}

/** G19: read and used in one reply: the model has not seen it. */
async function readBeside(stage: Stage, way: Registered): Promise<void> {
  await stage.place.entry('owners', hold(HOLD))
  const both = calls(way.tool('read_entry', { id: 'rules/owners' }), touch(stage, 'a'))
  await stage.begin(inOrder(both, calls(touch(stage, 'a')), say('Done.')))
  await register(stage, way)
  await stage.play(['Add a file'])
  must(allText(nth(stage, 1)).includes(stage.rig.traits.deniedWords), 'the call beside the read should be held')
  mustBeAllowed(stage, 2)
}

export async function mustBeLiftedAsRead(stage: Stage): Promise<void> {
  const lifts = (await stage.server().log()).flatMap(({ gates }) => gates.map(({ lift }) => lift))
  must(lifts.length === 1 && lifts[0] === 'read', `the gate should be lifted as read, once; lifts: ${lifts.join(', ') || 'none'}`)
}

export function agentRows<S extends Stage>(way: Registered): readonly Row<S>[] {
  return [
    { name: 'R10: agents: searched and read by our tool, then the call goes on', seams: [], run: (stage) => readFirst(stage, way) },
    { name: 'G19: agents: read by our tool beside the held call', seams: [], run: (stage) => readBeside(stage, way) },
  ]
}
