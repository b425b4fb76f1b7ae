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
import { codex } from '../../../src/harness/codex/profile.ts'
import type { MomentKind } from '../../../src/core/moment.ts'
import { must } from '../../row.ts'
import type { Row } from '../../row.ts'
import { inOrder } from '../model.ts'
import { calls, say, script, shell, subagent, waitFor } from '../reply.ts'
import type { Block } from '../reply.ts'
import { countOf, startedAgents } from '../request.ts'
import { CODE_MODEL, PLAIN_MODEL } from '../session.ts'
import type { Stage } from '../stage.ts'
import { mustBeDenied, mustNotHaveRun, mustSee, nth } from './expect.ts'

/** Events of the program with the moment that each is to us. */
const EVENTS: Readonly<Record<string, MomentKind>> = {
  SessionStart: 'session-start',
  UserPromptSubmit: 'prompt',
  PreToolUse: 'before-tool',
  PostToolUse: 'after-tool',
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

/** As long as the profile allows, in bytes, with characters of one, two, three and four of them. */
function longText(event: string, number: number): string {
  const kind = EVENTS[event]
  const max = kind === undefined ? undefined : codex.seams[kind]?.inject?.max
  must(max !== undefined, `the profile claims no seam at ${event}`)
  const head = `SEAM ${number} ${event} `
  const tail = ` END ${number}`
  const left = max - Buffer.byteLength(head + tail)
  const pattern = 'aé語🚦'
  const filling = pattern.repeat(Math.floor(left / Buffer.byteLength(pattern)))
  return `${head}${filling}${'.'.repeat(left - Buffer.byteLength(filling))}${tail}`
}

async function seams(stage: Stage, model: string): Promise<void> {
  const hook = await bareHook()
  try {
    const command = { hooks: [{ type: 'command', command: `curl -s --max-time 5 --data-binary @- ${hook.url} || exit 0`, timeout: 10 }] }
    const hooks = Object.fromEntries(Object.keys(EVENTS).map((event) => [event, [command]]))
    await writeFile(join(stage.place.harnessConfig, 'hooks.json'), JSON.stringify({ hooks }))
    const isPlain = model === PLAIN_MODEL
    const agents = isPlain ? 'v1' : 'v2'
    const run = (line: string): Block =>
      isPlain ? shell(line) : script(`const r = await tools.exec_command({cmd: ${JSON.stringify(line)}}); text(r.output)`)
    stage.model.script(
      inOrder(
        calls(run('echo well')),
        calls(run('ls missing-folder')),
        calls(run(DENIED_COMMAND)),
        calls(subagent('Help', agents)),
        (request) => calls(waitFor(startedAgents(request), agents)),
        say('Done.'),
      ),
    )
    await stage.play(['Go'], { model, settings: { bypass_hook_trust: true } })
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
      must(arrived, `${Buffer.byteLength(text)} bytes at ${event} should have arrived whole`)
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
  'subagent-start inject',
] as const

export const SEAM_ROWS: readonly Row<Stage>[] = [
  { name: 'the seams by themselves, each at its limit', seams: SEAMS, run: (stage) => seams(stage, PLAIN_MODEL) },
  { name: 'code mode: the seams by themselves, each at its limit', seams: SEAMS, run: (stage) => seams(stage, CODE_MODEL) },
]
