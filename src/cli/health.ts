/** `contextmd health`: whether it serves, from which stores, and what is wrong. */
import { parseArgs } from 'node:util'
import { z } from 'zod'
import type { Command } from './command.ts'
import { withServer } from './connection.ts'

const HealthAnswer = z.object({
  state: z.enum(['serving', 'off', 'disabled']),
  offUntil: z.number().nullable(),
  version: z.string(),
  startedAt: z.number(),
  problems: z.array(
    z.object({
      severity: z.enum(['error', 'warning', 'info']),
      message: z.string(),
      cure: z.string(),
      file: z.string().optional(),
      line: z.number().optional(),
    }),
  ),
  stores: z.array(z.object({ name: z.string(), folder: z.string(), entries: z.number() })),
  hosts: z.array(z.object({ name: z.string(), state: z.string(), isLive: z.boolean().nullable() })).default([]),
  counters: z.record(z.string(), z.number()),
})
type HealthAnswer = z.infer<typeof HealthAnswer>

export const command: Command = {
  name: 'health',
  summary: 'Tells whether ContextMD serves, from which stores, and what is wrong. Also: status.',
  usage: `contextmd health [--json]

Tells whether ContextMD serves, from which stores, what is wrong and what to do about it.

      --json   the whole answer of the server

Exit code: 0 serving or switched off by you; 1 not running, or disabled because something is broken.`,
  async run(argv, io) {
    const { values } = parseArgs({ args: argv, options: { json: { type: 'boolean' } }, allowPositionals: false })
    const connection = await withServer(io)
    const answer = await connection.get('/health')
    const health = HealthAnswer.parse(answer)
    io.stdout.write(values.json === true ? `${JSON.stringify(answer, null, 2)}\n` : report(health, connection.address))
    return health.state === 'disabled' ? 1 : 0
  },
}

function report(health: HealthAnswer, address: string): string {
  const lines = [
    `${stateLine(health)}, at ${address}, version ${health.version}, since ${new Date(health.startedAt).toLocaleString()}`,
    ...storeLines(health),
    ...health.hosts.map(hostLine),
    ...health.problems.flatMap(problemLines),
  ]
  const counters = Object.entries(health.counters).filter(([, count]) => count > 0)
  if (counters.length > 0) lines.push(`counted since the start: ${counters.map(([name, count]) => `${name} ${count}`).join(', ')}`)
  if (health.problems.length === 0) lines.push('no problems')
  return `${lines.join('\n')}\n`
}

function stateLine({ state, offUntil }: HealthAnswer): string {
  switch (state) {
    case 'serving':
      return 'serving'
    case 'off':
      return offUntil === null ? 'off until you switch it on (contextmd on)' : `off until ${new Date(offUntil).toLocaleString()}`
    case 'disabled':
      return 'DISABLED: no rule is served until the problem below is mended'
    default:
      return state satisfies never
  }
}

function storeLines({ stores }: HealthAnswer): string[] {
  if (stores.length === 0) return ['no store: name one in serving.json, or run contextmd setup']
  return stores.map(({ name, folder, entries }) => `store ${name}: ${entries} ${entries === 1 ? 'entry' : 'entries'} in ${folder}`)
}

/** A state that is not known here comes from a newer server: it is told as it is. */
function hostLine({ name, state, isLive }: HealthAnswer['hosts'][number]): string {
  const server = isLive === null ? '' : isLive ? ', its server runs' : ', its server does not run'
  return `host T3 Code: ${HOST_STATES[state] ?? state} (${name}${server})`
}

const HOST_STATES: Readonly<Record<string, string>> = {
  joining: 'its sessions are joined to their threads and runs',
  loading: 'its rows are being loaded; sessions that are not found yet wait',
  unmapped: 'UNMAPPED, nothing is served in its sessions',
  failing: "can't be read now",
}

function problemLines({ severity, message, cure, file, line }: HealthAnswer['problems'][number]): string[] {
  const where = file === undefined ? '' : `${file}${line === undefined ? '' : `:${line}`}: `
  return [`${severity}: ${where}${message}`, `  ${cure}`]
}
