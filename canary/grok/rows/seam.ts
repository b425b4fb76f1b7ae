/**
 * The seams by themselves, without ContextMD: a bare hook answers every event with a text of the greatest length that the profile
 * allows, and every one must stand whole in what the model is sent.
 *
 * So a new version that changes a limit or a place is told apart from a mistake of ours.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { grok } from '../../../src/harness/grok/profile.ts'
import type { MomentKind } from '../../../src/core/moment.ts'
import { must } from '../../row.ts'
import type { Row } from '../../row.ts'
import { inOrder } from '../model.ts'
import { calls, say, shell } from '../reply.ts'
import { countOf } from '../request.ts'
import type { Stage } from '../stage.ts'
import { mustBeDenied, mustNotHaveRun, mustNotSee, mustSee, nth } from './expect.ts'

/** Events of the program with the moment that each is to us. */
const EVENTS: Readonly<Record<string, MomentKind>> = { PreToolUse: 'before-tool', PostToolUse: 'after-tool', Stop: 'stop' }
/** Events at which the profile claims that no text gets in: when one does, the profile is to be widened. */
const WITHOUT_SEAM = ['SessionStart', 'UserPromptSubmit'] as const

const eventSchema = z.looseObject({
  hook_event_name: z.string(),
  stopHookActive: z.boolean().optional(),
  reason: z.string().optional(),
  tool_input: z.looseObject({ command: z.string().optional() }).optional(),
})

/** The call with this command is denied, with a reason of the greatest length, and a text beside it that must not arrive. */
const DENIED_COMMAND = 'touch denied'
const DROPPED = 'SEAM-DROPPED'

interface BareHook {
  readonly url: string
  /** Each text that was handed over, with its event. */
  readonly given: readonly { readonly event: string; readonly text: string }[]
  close(): void
}

async function bareHook(reason: string): Promise<BareHook> {
  const given: { event: string; text: string }[] = []
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const told = eventSchema.parse(JSON.parse(Buffer.concat(chunks).toString('utf8')))
      const { hook_event_name: event } = told
      // once, or the turn would go on for ever; and what is said at the program's end reaches nobody
      const isOver = event === 'Stop' && (told.stopHookActive === true || told.reason === 'shutdown')
      if (isOver) return void outgoing.end('{}')
      if (told.tool_input?.command === DENIED_COMMAND)
        return void outgoing.end(JSON.stringify({ decision: 'deny', reason, hookSpecificOutput: { additionalContext: DROPPED } }))
      const text = longText(event, given.length)
      given.push({ event, text })
      outgoing.end(JSON.stringify({ hookSpecificOutput: { hookEventName: event, additionalContext: text } }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on a TCP port has an address of this form.
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/hook`, given, close: () => (server.close(), server.closeAllConnections()) }
}

/** As long as the profile allows, in its own unit, with characters of one, two, three and four bytes. */
function longText(event: string, number: number): string {
  const kind = EVENTS[event]
  const max = kind === undefined ? 200 : (grok.seams[kind]?.inject?.max ?? 0)
  return filled(`SEAM ${number} ${event} `, ` END ${number}`, max)
}

function filled(head: string, tail: string, max: number): string {
  const pattern = 'aé語🚦'
  const filling = pattern.repeat(Math.ceil(max / pattern.length)).slice(0, max - head.length - tail.length)
  // A cut in the middle of a surrogate pair would be a broken character.
  return `${head}${filling.replace(/[\uD800-\uDBFF]$/, '.')}${tail}`
}

async function seams(stage: Stage): Promise<void> {
  const reason = filled('SEAM-REASON ', ' END', grok.denyReason?.max ?? 0)
  const hook = await bareHook(reason)
  try {
    const group = { hooks: [{ type: 'command', command: `curl -s --max-time 8 --data-binary @- ${hook.url} || exit 0`, timeout: 10 }] }
    const hooks = Object.fromEntries([...Object.keys(EVENTS), ...WITHOUT_SEAM].map((event) => [event, [group]]))
    await mkdir(join(stage.place.harnessConfig, 'hooks'), { recursive: true })
    await writeFile(join(stage.place.harnessConfig, 'hooks', 'bare.json'), JSON.stringify({ hooks }))
    stage.model.script(inOrder(calls(shell('echo well')), calls(shell(DENIED_COMMAND)), say('Done.'), say('Done again.')))
    await stage.play(['Go'])
    mustBeDenied(nth(stage, 2))
    mustSee(nth(stage, 2), reason)
    mustNotHaveRun(stage, 'denied')
    for (const event of [...Object.keys(EVENTS), ...WITHOUT_SEAM])
      must(
        hook.given.some((given) => given.event === event),
        `the program should have told of ${event}`,
      )
    for (const request of stage.model.requests()) mustNotSee(request, DROPPED)
    for (const { event, text } of hook.given) {
      const arrived = stage.model.requests().some((request) => countOf(request, text) === 1)
      const takesText = Object.hasOwn(EVENTS, event)
      must(
        arrived === takesText,
        `${text.length} UTF-16 units (${Buffer.byteLength(text)} bytes) at ${event} should ${takesText ? '' : 'not '}have arrived whole`,
      )
    }
  } finally {
    hook.close()
  }
}

export const SEAM_ROWS: readonly Row<Stage>[] = [
  {
    name: 'the seams by themselves, each at its limit',
    seams: ['before-tool inject', 'before-tool deny', 'after-tool inject', 'stop inject'],
    run: seams,
  },
]
