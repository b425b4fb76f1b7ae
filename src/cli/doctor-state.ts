/** The look through the whole state file: by the server where one runs, else by this process. */
import { z } from 'zod'
import type { Problem } from '../core/problem.ts'
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
