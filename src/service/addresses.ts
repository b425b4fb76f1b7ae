/** Where the harnesses that are set up post to, and whether the server is there. */
import type { HarnessName } from '../core/id.ts'
import type { Problem } from '../core/problem.ts'
import { readRecords as readOpencodeRecords, recordFileIn as opencodeRecordFileIn } from '../harness/opencode/install-record.ts'
import { readRecords, recordFileIn } from '../install/record.ts'
import type { Paths } from '../paths.ts'

export interface SetUpAddress {
  readonly harness: HarnessName
  /** The settings, or their folder, that setup wrote. */
  readonly where: string
  readonly port: number
  /** The harness itself posts to this very port: it can't look where the server is. */
  readonly isFixed: boolean
}

const FILE_HARNESSES: readonly HarnessName[] = ['claude-code', 'codex', 'grok']

export function setUpAddresses(paths: Pick<Paths, 'data'>): readonly SetUpAddress[] {
  const file = recordFileIn(paths.data)
  return [
    ...FILE_HARNESSES.flatMap((harness) =>
      readRecords(file, harness).map((record) => ({
        harness,
        where: record.file,
        port: record.port,
        isFixed: record.transport !== 'command',
      })),
    ),
    ...readOpencodeRecords(opencodeRecordFileIn(paths.data)).map(({ folder, port }) => ({
      harness: 'opencode' as const,
      where: folder,
      port,
      isFixed: false,
    })),
  ]
}

/** The port of all that is set up; null where nothing is, or where they differ. */
export function setUpPort(paths: Pick<Paths, 'data'>): number | null {
  const addresses = setUpAddresses(paths)
  // hooks with a fixed address decide: all others find the server by themselves
  const fixed = addresses.filter(({ isFixed }) => isFixed)
  const ports = new Set((fixed.length > 0 ? fixed : addresses).map(({ port }) => port))
  const [port] = ports
  return ports.size === 1 && port !== undefined ? port : null
}

/** Hooks that post to another port than the server's and can't find it. */
export function addressProblems(paths: Pick<Paths, 'data'>, serverPort: number): readonly Problem[] {
  return setUpAddresses(paths)
    .filter(({ isFixed, port }) => isFixed && port !== serverPort)
    .map(({ harness, where, port }) => ({
      code: 'address_differs',
      severity: 'error',
      message: `${harness} posts to port ${port}, and the server is at port ${serverPort}: its moments do not arrive.`,
      cure: `contextmd setup ${harness} --port ${serverPort}, or start the server with --port ${port}.`,
      file: where,
    }))
}
