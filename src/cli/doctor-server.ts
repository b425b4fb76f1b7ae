/** What doctor finds out about the server: whether it runs and is ours, what it says of itself, its state, its stores. */
import { z } from 'zod'
import { findingOf, type Finding } from '../doctor/finding.ts'
import { readHostToken, type HostToken } from '../install/host-token.ts'
import type { Paths } from '../paths.ts'
import { findServer, portOf } from '../service/find.ts'
import { readStartFile, startProblems } from '../service/start-file.ts'
import type { Tokens } from '../state/tokens.ts'
import { CommandError, type Io } from './command.ts'
import { withServer } from './connection.ts'
import { checkState, stateFileOf } from './doctor-state.ts'

const Health = z.object({
  state: z.enum(['serving', 'off', 'disabled']),
  offUntil: z.number().nullable(),
  problems: z.array(
    z.object({
      code: z.string(),
      severity: z.enum(['error', 'warning', 'info']),
      message: z.string(),
      cure: z.string(),
      file: z.string().optional(),
      line: z.number().optional(),
    }),
  ),
  stores: z.array(z.object({ entries: z.number() })),
})
const Report = z.object({ missed: z.array(z.object({ harness: z.string(), cause: z.string(), count: z.number() })) })

export interface ServerFacts {
  readonly findings: readonly Finding[]
  /** Where it has proven to be ours; null: there is none. */
  readonly port: number | null
  /** It is a part of a host; where none runs: hooks are set up for one. */
  readonly isInside: boolean
  /** Of the server, or of the one that would run. */
  readonly stateFile: string
  /** By harness and cause, of the last week; null: it could not be asked. */
  readonly missed: Readonly<Record<string, Readonly<Record<string, number>>>> | null
}

/** A person waits for the answer: a busy machine gets more time than a hook would give it. */
const PROOF_MS = 10_000

/** Problems that doctor has a check of its own for, with a mend. */
const OWN_CHECKS: ReadonlySet<string> = new Set(['address_differs'])

const ABOUT = { harness: null, cure: '' } as const

/** `version`: of this program. */
export async function examineServer(io: Io, paths: Paths, version: string, tokens: Tokens): Promise<ServerFacts> {
  const found = await findServer(paths, PROOF_MS)
  const host = readHostToken(paths.data)
  const isInside = found.state === 'ours' && found.file.startedAs === 'host'
  const stateFile = await stateFileOf(paths)
  const state = await stateFindings(io, stateFile)
  if (found.state !== 'ours') {
    // a server that runs tells of them itself
    const finding =
      found.state === 'none' ? (host === null ? notRunning(paths) : hostNotRunning(host)) : unproven(found.file.address, found.file.pid)
    const findings = [finding, ...[...startProblems(paths), ...tokens.problems()].map(findingOf), ...state]
    return { findings, port: null, isInside: host !== null, stateFile, missed: null }
  }
  const { file } = found
  const isOther = file.version !== version
  const running: Finding = isOther
    ? {
        ...ABOUT,
        id: 'server',
        level: 'warn',
        what: `it is of version ${file.version}, and this is ${version}`,
        cure: isInside
          ? 'Update the older of the two: the package in the host (then start the host anew), or this one.'
          : 'Start it anew: contextmd service stop, then contextmd service start (or contextmd serve).',
      }
    : {
        ...ABOUT,
        id: 'server',
        level: 'ok',
        what: `runs at ${file.address}, version ${file.version}, ${isInside ? 'as a part of a host, ' : ''}process ${file.pid}`,
      }
  const told = await ask(io, isInside)
  const side = isInside || host === null ? [] : [besideNote(host)]
  return { findings: [running, ...side, ...told.findings, ...state], port: portOf(file), isInside, stateFile, missed: told.missed }
}

function notRunning(paths: Paths): Finding {
  const cure = 'contextmd service install keeps it running; contextmd serve runs it here'
  if (readStartFile(paths) === null) return { ...ABOUT, id: 'server', level: 'bad', what: 'it does not run: no rule is served', cure }
  return {
    ...ABOUT,
    id: 'server',
    level: 'warn',
    what: 'it does not run now; hooks start it when the next session starts',
    cure: 'contextmd service start, and look again: no test moment could be sent',
  }
}

function hostNotRunning({ base }: HostToken): Finding {
  const cure = 'Start the host, and look again: no test moment could be sent. For a server beside it: contextmd setup --no-inside'
  return { ...ABOUT, id: 'server', level: 'warn', what: `the host of ${base}, which hooks post into, does not tell that it runs`, cure }
}

/** Hooks have the host's token, which a server beside takes as well. */
function besideNote({ base }: HostToken): Finding {
  const cure = 'To have the host serve again, end this server. To stay with this one: contextmd setup --no-inside'
  return {
    ...ABOUT,
    id: 'beside',
    level: 'note',
    what: `hooks are set up for the host of ${base}, and post to this server while it runs`,
    cure,
  }
}

function unproven(address: string, pid: number): Finding {
  return {
    ...ABOUT,
    id: 'server',
    level: 'bad',
    what: `what listens at ${address} can't show that it is ContextMD: it hangs (process ${pid}), or another program has its port`,
    cure: 'End that program, then start the server.',
  }
}

async function ask(io: Io, isInside: boolean): Promise<Pick<ServerFacts, 'findings' | 'missed'>> {
  try {
    const connection = await withServer(io)
    const health = Health.parse(await connection.get('/health'))
    const { missed } = Report.parse(await connection.get('/report'))
    return {
      findings: [serving(health), ...stores(health), ...health.problems.filter(({ code }) => !OWN_CHECKS.has(code)).map(toFinding)],
      missed: byHarness(missed),
    }
  } catch (error) {
    if (!(error instanceof CommandError || error instanceof z.ZodError)) throw error
    const what = error instanceof CommandError ? error.message : 'its answer is not of this version'
    return {
      findings: [
        {
          ...ABOUT,
          id: 'health',
          level: 'bad',
          what: `it could not be asked: ${what}`,
          cure: isInside ? 'As it says.' : 'Start the server anew.',
        },
      ],
      missed: null,
    }
  }
}

function toFinding({ file, line, ...problem }: z.infer<typeof Health>['problems'][number]): Finding {
  return findingOf({ ...problem, ...(file === undefined ? {} : { file }), ...(line === undefined ? {} : { line }) })
}

function serving({ state, offUntil }: z.infer<typeof Health>): Finding {
  const about = { ...ABOUT, id: 'serving' } as const
  switch (state) {
    case 'serving':
      return { ...about, level: 'ok', what: 'serves' }
    case 'off':
      return {
        ...about,
        level: 'warn',
        what: offUntil === null ? 'switched off' : `switched off until ${new Date(offUntil).toLocaleString()}`,
        cure: 'contextmd on',
      }
    case 'disabled':
      return { ...about, level: 'bad', what: 'serves nothing until the problem below is mended', cure: 'See below.' }
    default:
      return state satisfies never
  }
}

/** That there is no store is a problem of the server's own. */
function stores({ stores: all }: z.infer<typeof Health>): readonly Finding[] {
  if (all.length === 0) return []
  const entries = all.reduce((sum, store) => sum + store.entries, 0)
  const what = `${entries} ${entries === 1 ? 'entry' : 'entries'} in ${all.length} ${all.length === 1 ? 'store' : 'stores'}`
  if (entries > 0) return [{ ...ABOUT, id: 'stores', level: 'ok', what }]
  const cure = 'contextmd new writes one; contextmd lint says why entries are not served'
  return [{ ...ABOUT, id: 'stores', level: 'warn', what, cure }]
}

async function stateFindings(io: Io, file: string): Promise<readonly Finding[]> {
  const found = await checkState(io, file)
  return found.length === 0 ? [{ ...ABOUT, id: 'state', level: 'ok', what: `${file}: all is well` }] : found.map(findingOf)
}

function byHarness(missed: z.infer<typeof Report>['missed']): Record<string, Record<string, number>> {
  const all: Record<string, Record<string, number>> = {}
  for (const { harness, cause, count } of missed) all[harness] = { ...all[harness], [cause]: count }
  return all
}
