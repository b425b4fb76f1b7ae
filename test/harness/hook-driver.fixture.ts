/** Harnesses that run a command for each event: the very command that setup would write, the event on stdin, its own JSON on stdout. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { delimiter, join } from 'node:path'
import { expect } from 'vitest'
import { z } from 'zod'
import type { HarnessName } from '../../src/core/id.ts'
import type { Profile } from '../../src/core/profile.ts'
import type { Hook } from '../../src/install/hook.ts'
import { writeHookFiles } from '../../src/install/hook-scripts.ts'
import type { Desk } from './desk.fixture.ts'
import { NOTHING, type Call, type Conversation, type Driver, type Told } from './driver.fixture.ts'

/** Generous: nothing is timed. */
export const SECONDS = 60

/** Programs that the script may find, so that one way to post is left. */
const CLIENTS = {
  curl: ['curl', 'sha256sum'],
  wget: ['wget', 'mktemp', 'cat', 'rm', 'sha256sum'],
  node: ['node'],
} as const
export type Client = keyof typeof CLIENTS

/** Where a program of this name lies; undefined if it is not on this machine. */
function placeOf(program: string): string | undefined {
  if (program === 'node') return process.execPath
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return folders.map((folder) => join(folder, program)).find((file) => existsSync(file))
}

/** The ways to post that this machine has; `node` is always there. */
export function clientsHere(): readonly Client[] {
  // The keys of the table are its names: that is their type.
  return (Object.keys(CLIENTS) as Client[]).filter((client) => CLIENTS[client].every((program) => placeOf(program) !== undefined))
}

function pathWith(desk: Desk, client: Client): string {
  const folder = join(desk.folder, `bin-${client}`)
  mkdirSync(folder, { recursive: true })
  for (const program of ['sh', ...CLIENTS[client]]) {
    const link = join(folder, program)
    const place = placeOf(program)
    if (place !== undefined && !existsSync(link)) symlinkSync(place, link)
  }
  return folder
}

/** S12, S5: one JSON object with the keys that the harness knows, and nothing else. A key more would void the whole answer in Codex. */
const answerSchema = z.strictObject({
  decision: z.literal('deny').optional(),
  reason: z.string().min(1).optional(),
  systemMessage: z.string().optional(),
  hookSpecificOutput: z
    .strictObject({
      hookEventName: z.string(),
      additionalContext: z.string().min(1).optional(),
      permissionDecision: z.literal('deny').optional(),
      permissionDecisionReason: z.string().min(1).optional(),
    })
    .optional(),
})

function toldIn(printed: string, event: string): Told {
  if (printed === '') return NOTHING
  const { decision, reason = '', hookSpecificOutput: own } = answerSchema.parse(JSON.parse(printed))
  // an answer for another event is dropped whole
  if (own !== undefined) expect(own.hookEventName).toBe(event)
  const isDenied = decision === 'deny' || own?.permissionDecision === 'deny'
  return { text: own?.additionalContext ?? '', denied: isDenied ? reason || (own?.permissionDecisionReason ?? '') : null }
}

/** Events of one conversation in the harness's own shape. Each has `hook_event_name`. */
export interface Events {
  start(): object
  prompt(text: string, number: number): object
  before(call: Call): object
  /** `PostToolUse`, or what the harness posts for a call that failed. */
  after(call: Call): object
  /** Where it tells that all results of a reply are there. */
  batchEnd: ((calls: readonly { readonly call: Call; readonly denied: string }[]) => object) | null
  stop(): object
}

export interface HookHarness {
  readonly name: HarnessName
  readonly profile: Profile
  readonly hooks: (port: number) => ReadonlyMap<string, Hook>
  readonly events: (session: string) => Events
}

/** Posts an event as the harness does with the hook that stands in its settings. Gives what it would read as the answer. */
export type Post = (event: object, env: Readonly<Record<string, string>>) => Promise<string>

/** The name of an event: every harness tells it under this key. */
export function nameOf(event: object): string {
  return z.looseObject({ hook_event_name: z.string() }).parse(event).hook_event_name
}

export interface CommandDriver extends Driver {
  readonly post: Post
}

export function commandDriver(desk: Desk, { name, profile, hooks, events }: HookHarness, client: Client): CommandDriver {
  writeHookFiles(desk.paths.hooks, desk.token, name)
  const path = pathWith(desk, client)
  const post = (port: number): Post => {
    return async (event, env) => run(hooks(port).get(nameOf(event)), JSON.stringify(event), { PATH: path, TMPDIR: desk.folder, ...env })
  }
  const garbage = (text: string): Promise<string> => run(hooks(desk.port).get('PreToolUse'), text, { PATH: path, TMPDIR: desk.folder })
  const down = (session: string): Conversation => conversation(events(session), later(freePort, post))
  return { ...driverOf(profile, events, post(desk.port)), post: post(desk.port), garbage, down }
}

/** A hook of which only the way to post is its own. */
export function driverOf(profile: Profile, events: (session: string) => Events, post: Post): Omit<Driver, 'garbage' | 'down'> {
  return {
    profile,
    open: (session, env = {}) => conversation(events(session), post, env),
    async unknown(session) {
      const known = events(session)
      const odd = {
        ...known.before({ id: 'odd', command: 'ls' }),
        hook_event_name: 'SessionStart',
        source: 'odd',
        later_version: { a: [1] },
      }
      return `${await post({ ...known.stop(), hook_event_name: 'Stop', never_seen: [null] }, {})}${await post(odd, {})}`
    },
  }
}

export function conversation(events: Events, post: Post, env: Readonly<Record<string, string>> = {}): Conversation {
  let last: object | null = null
  let prompts = 0
  const tell = async (event: object): Promise<Told> => {
    last = event
    return toldIn(await post(event, env), nameOf(event))
  }
  return {
    start: () => tell(events.start()),
    prompt: (text) => tell(events.prompt(text, (prompts += 1))),
    before: (call) => tell(events.before(call)),
    after: (call) => tell(events.after(call)),
    async answered(denied) {
      if (events.batchEnd !== null) await tell(events.batchEnd(denied.map(({ call, told }) => ({ call, denied: told.denied ?? '' }))))
    },
    stop: () => tell(events.stop()),
    again: () => tell(last ?? {}),
  }
}

/** Nobody listens there. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on a TCP port has an address of this form.
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

function later(port: () => Promise<number>, post: (port: number) => Post): Post {
  return async (event, env) => post(await port())(event, { ...env, CONTEXTMD_DATA: '/nowhere' })
}

/** S11: whatever happens, a hook ends with 0: 2 would be a deny. */
function run(hook: Hook | undefined, stdin: string, env: Readonly<Record<string, string>>): Promise<string> {
  if (hook?.type !== 'command') return Promise.resolve('')
  return new Promise((resolve, reject) => {
    const child = execFile('/bin/sh', ['-c', hook.command], { env: { ...env } }, (error, stdout, stderr) => {
      if (error !== null || stderr !== '') reject(new Error(`the hook ended with ${error?.code ?? 0}: ${stderr}`))
      else resolve(stdout.trim())
    })
    // a hook that stands down does not read its input
    child.stdin?.on('error', () => {})
    child.stdin?.end(stdin)
  })
}
