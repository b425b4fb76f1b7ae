/** `contextmd doctor`: looks for what is broken, and says how to mend it. */
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { pathsFrom } from '../paths.ts'
import { CommandError, type Command, type Io } from './command.ts'
import { withServer } from './connection.ts'

const Found = z.object({
  severity: z.enum(['error', 'warning', 'info']),
  message: z.string(),
  cure: z.string(),
  file: z.string().optional(),
})
type Found = z.infer<typeof Found>
const Answer = z.object({ check: z.array(Found) })

export const command: Command = {
  name: 'doctor',
  summary: 'Looks for what is broken in the state, and says how to mend it.',
  usage: `contextmd doctor --state [--json]

Looks through the whole state file: damage, rows without their partners, figures over the law. Asks the server where
one runs, else opens the file itself. Changes nothing.

      --state   the state file
      --json    the findings as JSON

Exit code: 0 all is well; 1 something is broken.`,
  async run(argv, io) {
    const options = { state: { type: 'boolean' }, json: { type: 'boolean' } } as const
    const { values } = parseArgs({ args: argv, options, allowPositionals: false })
    if (values.state !== true) throw new CommandError('usage', 'say what to look at: contextmd doctor --state')
    const { state } = pathsFrom(io.env)
    const found = await checkState(io, state)
    if (values.json === true) io.stdout.write(`${JSON.stringify({ check: found }, null, 2)}\n`)
    else io.stdout.write(found.length === 0 ? `${state}: all is well\n` : found.map(lines).join(''))
    return found.some(({ severity }) => severity === 'error') ? 1 : 0
  },
}

/** A server that gives no answer (gone, of another version, still at it after 10 s) is no reason to look at nothing. */
async function checkState(io: Io, file: string): Promise<readonly Found[]> {
  try {
    const connection = await withServer(io)
    return Answer.parse(await connection.get('/health?check=state')).check
  } catch (error) {
    if (!(error instanceof CommandError || error instanceof z.ZodError)) throw error
    const { checkFile } = await import('../state/sqlite/check-file.ts')
    return checkFile(file)
  }
}

function lines({ severity, message, cure, file }: Found): string {
  return `${severity}: ${file === undefined ? '' : `${file}: `}${message}\n  ${cure}\n`
}
