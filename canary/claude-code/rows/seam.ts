/**
 * The seams by themselves, without ContextMD: a bare hook answers every event with a text of the greatest length that the profile
 * allows, and every one must stand whole in what the model is sent.
 *
 * So a new version that changes a limit or a place is told apart from a mistake of ours.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { claudeCode } from '../../../src/harness/claude-code/profile.ts'
import type { MomentKind } from '../../../src/core/moment.ts'
import { must } from '../../row.ts'
import type { Row } from '../../row.ts'
import { inOrder } from '../model.ts'
import { calls, say, shell, subagent } from '../reply.ts'
import { countOf } from '../request.ts'
import { NEW_PLACEMENT_MODEL, OLD_PLACEMENT_MODEL } from '../session.ts'
import type { Stage } from '../stage.ts'
import { mustBeDenied, mustNotHaveRun, mustSee, nth } from './expect.ts'

/** Events of the program with the moment that each is to us. */
const EVENTS: Readonly<Record<string, MomentKind>> = {
  SessionStart: 'session-start',
  UserPromptSubmit: 'prompt',
  PreToolUse: 'before-tool',
  PostToolUse: 'after-tool',
  PostToolUseFailure: 'after-tool',
  PostToolBatch: 'batch-end',
  SubagentStart: 'subagent-start',
}

const eventSchema = z.looseObject({
  hook_event_name: z.string(),
  tool_input: z.looseObject({ command: z.string().optional() }).optional(),
})

/** The call with this command is denied, with a reason and the long text beside it. */
const DENIED_COMMAND = 'touch denied'
const REASON = 'SEAM-REASON: a rule stands before this call'

interface BareHook {
  readonly url: string
  /** Each text that was handed over, with its event. */
  readonly given: readonly { readonly event: string; readonly text: string }[]
  close(): void
}

async function bareHook(): Promise<BareHook> {
  const given: { event: string; text: string }[] = []
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const { hook_event_name: event, tool_input } = eventSchema.parse(JSON.parse(Buffer.concat(chunks).toString('utf8')))
      const isDenied = event === 'PreToolUse' && tool_input?.command === DENIED_COMMAND
      const deny = isDenied ? { permissionDecision: 'deny', permissionDecisionReason: REASON } : {}
      const text = longText(event, given.length)
      given.push({ event, text })
      outgoing.writeHead(200, { 'content-type': 'application/json' })
      outgoing.end(JSON.stringify({ hookSpecificOutput: { hookEventName: event, additionalContext: text, ...deny } }))
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
  const max = kind === undefined ? undefined : claudeCode.seams[kind]?.inject?.max
  must(max !== undefined, `the profile claims no seam at ${event}`)
  const head = `SEAM ${number} ${event} `
  const tail = ` END ${number}`
  const pattern = 'aé語🚦'
  const filling = pattern.repeat(Math.ceil(max / pattern.length)).slice(0, max - head.length - tail.length)
  // A cut in the middle of a surrogate pair would be a broken character.
  return `${head}${filling.replace(/[\uD800-\uDBFF]$/, '.')}${tail}`
}

async function seams(stage: Stage, model: string): Promise<void> {
  const hook = await bareHook()
  try {
    const http = { hooks: [{ type: 'http', url: hook.url, timeout: 10 }] }
    // An http hook never fires at a session start.
    const command = { hooks: [{ type: 'command', command: `curl -s --max-time 5 --data-binary @- ${hook.url} || exit 0` }] }
    const hooks = Object.fromEntries(Object.keys(EVENTS).map((event) => [event, [event === 'SessionStart' ? command : http]]))
    await writeFile(join(stage.place.harnessConfig, 'settings.json'), JSON.stringify({ hooks }))
    stage.model.script(
      inOrder(
        calls(shell('echo well')),
        calls(shell('ls missing-folder')),
        calls(shell(DENIED_COMMAND)),
        calls(subagent('Help')),
        say('Done.'),
      ),
    )
    await stage.play(['Go'], { model })
    for (const event of Object.keys(EVENTS))
      must(
        hook.given.some((given) => given.event === event),
        `the program should have told of ${event}`,
      )
    mustBeDenied(nth(stage, 3))
    mustSee(nth(stage, 3), REASON)
    mustNotHaveRun(stage, 'denied')
    for (const { event, text } of hook.given) {
      const arrived = stage.model.requests().some((request) => countOf(request, text) === 1)
      must(arrived, `${text.length} UTF-16 units (${Buffer.byteLength(text)} bytes) at ${event} should have arrived whole`)
    }
  } finally {
    hook.close()
  }
}

const SEAMS = [
  'session-start inject',
  'prompt inject',
  'before-tool inject',
  'before-tool deny',
  'after-tool inject',
  'batch-end inject',
  'subagent-start inject',
] as const

export const SEAM_ROWS: readonly Row<Stage>[] = [
  { name: 'the seams by themselves, each at its limit', seams: SEAMS, run: (stage) => seams(stage, NEW_PLACEMENT_MODEL) },
  { name: 'old placement: the seams by themselves, each at its limit', seams: SEAMS, run: (stage) => seams(stage, OLD_PLACEMENT_MODEL) },
]
