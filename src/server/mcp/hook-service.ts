/**
 * `POST /contextmd/hook-mcp?harness=NAME`: for harness hooks that call a tool of an MCP server instead of a process.
 *
 * The tool takes a moment's event and gives the harness's own hook answer, as `POST /contextmd/v1/moment` does, by the same engine and
 * within the same time. A model may be able to call it as well, so a call counts only when the harness itself made it for a hook: it
 * carries the key of the hook's input, and none of the marks that the harness's client puts on calls of the model. Whatever is posted,
 * only the harness's records prove anything.
 */
import type { DeliveryId } from '../../core/id.ts'
import type { Engine, MomentAnswer } from '../../engine/engine.ts'
import { isHookKey } from '../../harness/hook-key.ts'
import { textIn, type Json } from '../../harness/json.ts'
import { bearerToken } from '../access.ts'
import { MAX_BODY_BYTES } from '../failure.ts'
import { harnessIn } from '../harness-name.ts'
import { dropLate, NOT_ANALYSED, saysOff, withDeadline } from '../moment.ts'
import { AgentTypes } from './agent-types.ts'
import type { McpService, Tool, ToolAnswer, ToolCall } from './route.ts'

export const HOOK_MCP_PATH = '/contextmd/hook-mcp'

const TOOL: Tool = {
  name: 'moment',
  title: 'Moment',
  description: 'For hooks of the agent program only. It answers nothing to anybody else.',
  inputSchema: { type: 'object', additionalProperties: true },
  annotations: { readOnlyHint: true },
}

/**
 * Codex 0.171.0 calls the tool of a hook without asking whether it is listed, so it need not be shown to the model. A version that was
 * not looked at may ask, and then a hidden tool would be no tool: it is listed there.
 */
const HIDDEN_FROM = /^codex-mcp-client\/0\.171\.\d+$/

/** What the client of Codex 0.171.0 sets on a call of the model, and never on that of a hook. */
const MARKS_OF_MODEL = ['callId', 'itemId', 'x-codex-turn-metadata'] as const

const NOTHING: ToolAnswer = { text: '' }

/** `report` gets what failed after the answer was already out. */
export function hookService(engine: Engine, deadlineMs: number, report: (thrown: unknown) => void): McpService {
  const agentTypes = new AgentTypes()

  return {
    instructions: '',
    maxBytes: MAX_BODY_BYTES,
    tools: (c) => (HIDDEN_FROM.test(c.req.header('user-agent') ?? '') ? [] : [TOOL]),
    refused(c, failure) {
      const why = NOT_ANALYSED[failure]
      if (why !== undefined) engine.countNotAnalysed(harnessIn(c) ?? 'hook-mcp', why)
    },
    async call(call) {
      if (call.name !== TOOL.name) return null
      const harness = harnessIn(call.request)
      if (harness === null || !isOfHook(call)) return NOTHING
      const event = agentTypes.complete(eventOf(call))
      const off = saysOff((name) => call.request.req.header(name))
      const taking = engine.moment({ harness, event, delivery: null, off, arrived: call.arrived })
      const taken = await withDeadline<MomentAnswer | null>(taking, deadlineMs - (performance.now() - call.arrived), null)
      if (taken === null) {
        taking.then((late) => dropLate(engine, late)).catch(report)
        return NOTHING
      }
      if (!taken.ok) return NOTHING
      if (taken.delivery !== null) settleLater(engine, taken.delivery, call, report)
      return taken.answer.status === 200 ? { text: JSON.stringify(taken.answer.body) } : NOTHING
    },
  }
}

function isOfHook({ input, meta, request }: ToolCall): boolean {
  if (MARKS_OF_MODEL.some((mark) => meta[mark] !== undefined)) return false
  return isHookKey(input['key'], bearerToken(request.req.header('authorization')) ?? '')
}

/** The event as the harness would post it: a hook's input can't name what is missing in some events, such as a subagent's thread. */
function eventOf({ input, meta, request }: ToolCall): Json {
  const { key: _, ...event } = input
  const thread = textIn(meta['threadId'])
  const version = /^codex-mcp-client\/(\S+)$/.exec(request.req.header('user-agent') ?? '')?.[1]
  return {
    ...event,
    ...(thread === null ? {} : { thread_id: thread }),
    ...(version === undefined ? {} : { version }),
  }
}

function settleLater(engine: Engine, delivery: DeliveryId, { handedOver }: ToolCall, report: (thrown: unknown) => void): void {
  handedOver?.then((outcome) => engine.settleSoon(delivery, outcome)).catch(report)
}
