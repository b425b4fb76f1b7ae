/** The look through the whole state file: by the server where one runs, else by this process. */
import { join } from 'node:path'
import { z } from 'zod'
import type { Problem } from '../core/problem.ts'
import { readHostToken } from '../install/host-token.ts'
import type { Paths } from '../paths.ts'
import { findServer, PATIENT_PROOF_MS } from '../service/find.ts'
import { CommandError, type Io } from './command.ts'
import { withServer } from './connection.ts'

const FoundProblem = z.object({
  code: z.string().default('state'),
  severity: z.enum(['error', 'warning', 'info']),
  message: z.string(),
  cure: z.string(),
  file: z.string().optional(),
})
const Answer = z.object({ check: z.array(FoundProblem) })

/** The state file of the server that runs, or that hooks are set up for: inside a host it lies in the host's own folder. */
export async function stateFileOf(paths: Pick<Paths, 'data' | 'server' | 'key' | 'state'>): Promise<string> {
  const host = readHostToken(paths.data)
  if (host === null) return paths.state
  const found = await findServer(paths, PATIENT_PROOF_MS)
  return found.state === 'ours' && found.file.startedAs !== 'host' ? paths.state : join(host.stateDir, 'contextmd.sqlite')
}

/** A server that gives no answer (gone, of another version, still at it after 10 s) is no reason to look at nothing. */
export async function checkState(io: Io, file: string): Promise<readonly Problem[]> {
  try {
    const connection = await withServer(io)
    const { check } = Answer.parse(await connection.get('/health?check=state'))
    return check.map(({ file, ...problem }) => ({ ...problem, ...(file === undefined ? {} : { file }) }))
  } catch (error) {
    if (!(error instanceof CommandError || error instanceof z.ZodError)) throw error
    const { checkFile } = await import('../state/sqlite/check-file.ts')
    return checkFile(file)
  }
}
