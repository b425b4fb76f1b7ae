/** Sends a test moment through one installed hook, the way the harness would run it. */
import { request } from 'node:http'
import type { HarnessName } from '../core/id.ts'
import { isRecord } from '../install/hook.ts'
import type { PlacedHook } from '../install/placed-hooks.ts'
import type { ProbeFacts, ProbeOutcome } from './facts.ts'
import { readAnswer } from './probe-answer.ts'
import { probeEvent, type ProbeEvent } from './probe-events.ts'
import { runProcess } from './probe-process.ts'
import { prepareToolCall, textOfResult } from './probe-tool.ts'

export interface Probing {
  readonly harness: Exclude<HarnessName, 'opencode'>
  /** As the harness would give it to its hooks. */
  readonly env: NodeJS.ProcessEnv
  /** Where the person stands. */
  readonly folder: string
  /** The ports on which our server has proven itself: a token goes nowhere else. */
  readonly isOurs: (port: number) => Promise<boolean>
}

/** Of what a harness has no limit for. */
const USUAL_LIMIT_S = 600
/** A hook that hangs shall not hang doctor. */
const MOST_LIMIT_S = 30
/** In the environment of hooks that the script takes for another harness's. */
const OTHER_HARNESSES = ['GROK_HOOK_EVENT', 'GROK_SESSION_ID', 'COPILOT_HOOK_DIR'] as const

/** Equal hooks are tried once, with the event that matters most. */
export async function probeHooks(hooks: readonly PlacedHook[], probing: Probing): Promise<readonly ProbeFacts[]> {
  const groups = Map.groupBy(hooks, ({ hook }) => JSON.stringify(hook))
  const probes: ProbeFacts[] = []
  for (const [, same] of groups) {
    const [first] = same
    const events = same.map(({ event }) => event)
    const outcome = first === undefined ? null : await probeHook(first.hook, events, probing)
    if (first !== undefined && outcome !== null) probes.push({ way: wayOf(first.hook), events, outcome })
  }
  return probes
}

function wayOf(hook: PlacedHook['hook']): string {
  return typeof hook['type'] === 'string' ? `${hook['type']} hook` : 'hook'
}

/** Null where no answer is due to any of its events: then none can be missed. */
async function probeHook(hook: PlacedHook['hook'], events: readonly string[], probing: Probing): Promise<ProbeOutcome | null> {
  const probe = probeEvent(probing.harness, events, probing.folder)
  if (probe === null) return null
  const limitMs = limitOf(hook) * 1_000
  if (typeof hook['command'] === 'string') return await throughCommand(hook['command'], probe, limitMs, probing)
  if (typeof hook['url'] === 'string') return await throughHttp(hook['url'], headersOf(hook), probe, limitMs, probing)
  if (hook['type'] === 'mcp_tool') return await throughTool(hook, probe, limitMs, probing)
  return { state: 'skipped', why: 'the harness calls the server itself' }
}

function limitOf({ timeout }: PlacedHook['hook']): number {
  return Math.min(typeof timeout === 'number' && timeout > 0 ? timeout : USUAL_LIMIT_S, MOST_LIMIT_S)
}

async function throughCommand(command: string, probe: ProbeEvent, limitMs: number, { env, folder }: Probing): Promise<ProbeOutcome> {
  const { CONTEXTMD_OFF: _, ...rest } = env
  const clean = Object.fromEntries(Object.entries(rest).filter(([name]) => !OTHER_HARNESSES.some((other) => other === name)))
  const call = { program: '/bin/sh', args: ['-c', command], env: clean, folder, input: JSON.stringify(probe.body), limitMs }
  const ended = await runProcess(call)
  switch (ended.state) {
    case 'late':
      return { state: 'late', limitMs }
    case 'unstartable':
      return { state: 'failed', exitCode: null, why: ended.why }
    case 'ended':
      if (ended.exitCode !== 0) return { state: 'failed', exitCode: ended.exitCode, why: firstLine(ended.stderr) }
      return readAnswer(ended.stdout, probe.expected, ended.ms)
    default:
      return ended satisfies never
  }
}

/** Header values as they are sent: a variable that is not set becomes nothing, and ours switches serving off. */
function headersOf(hook: PlacedHook['hook']): Readonly<Record<string, string>> {
  const headers = isRecord(hook['headers']) ? Object.entries(hook['headers']) : []
  return Object.fromEntries(headers.map(([name, value]) => [name, String(value).replace(/\$\{?[A-Z_]+\}?/g, '')]))
}

async function throughHttp(
  url: string,
  headers: Readonly<Record<string, string>>,
  probe: ProbeEvent,
  limitMs: number,
  { isOurs }: Probing,
): Promise<ProbeOutcome> {
  const { port } = new URL(url)
  if (!(await isOurs(Number(port)))) return { state: 'skipped', why: `what is at port ${port} is not this server` }
  const answered = await post(url, headers, JSON.stringify(probe.body), limitMs)
  if (answered === null) return { state: 'late', limitMs }
  if (answered.status >= 300) return { state: 'refused', status: answered.status, why: reasonIn(answered.text) }
  return readAnswer(answered.text, probe.expected, answered.ms)
}

async function throughTool(hook: PlacedHook['hook'], probe: ProbeEvent, limitMs: number, { env, isOurs }: Probing): Promise<ProbeOutcome> {
  const prepared = prepareToolCall(hook, probe, env)
  if (!prepared.ok) return { state: 'failed', exitCode: null, why: prepared.why }
  const { url, headers, body } = prepared.call
  const { port } = new URL(url)
  if (!(await isOurs(Number(port)))) return { state: 'skipped', why: `what is at port ${port} is not this server` }
  const answered = await post(url, headers, body, limitMs)
  if (answered === null) return { state: 'late', limitMs }
  if (answered.status >= 300) return { state: 'refused', status: answered.status, why: reasonIn(answered.text) }
  return readAnswer(textOfResult(answered.text), probe.expected, answered.ms)
}

interface Answered {
  readonly status: number
  readonly text: string
  readonly ms: number
}

/** Null: no answer in time. No agent of the process is used: it might send loopback calls through a proxy. */
function post(url: string, headers: Readonly<Record<string, string>>, body: string, limitMs: number): Promise<Answered | null> {
  const from = performance.now()
  return new Promise((resolve) => {
    const options = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, agent: false } as const
    const outgoing = request(url, options, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => (text += part))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text, ms: performance.now() - from }))
    })
    const timer = setTimeout(() => outgoing.destroy(), limitMs)
    outgoing.on('error', () => resolve(null))
    outgoing.on('close', () => {
      clearTimeout(timer)
      resolve(null)
    })
    outgoing.end(body)
  })
}

/** The server's own words, which hold nothing of the request. */
function reasonIn(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    const error = isRecord(value) ? value['error'] : null
    return isRecord(error) && typeof error['message'] === 'string' ? error['message'] : 'no reason was given'
  } catch {
    return 'no reason was given'
  }
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? ''
}
