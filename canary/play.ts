/** Plays one row and gives what came of it; never throws. */
import { NO_CLAIMS } from './claims.ts'
import type { ClaimCounts } from './claims.ts'
import type { Row, RowResult } from './row.ts'

export interface Closable {
  close(): Promise<void>
  /** What became of the row's claims. `areProvable`: they are waited for. */
  claims(areProvable: boolean): Promise<ClaimCounts>
  /** Trouble that the row itself did not see: a call of the program that the scripted model does not know. */
  problems(): readonly string[]
  /** What a person needs to find the cause: the log, what the server printed. */
  story(): Promise<string>
}

export async function playRow<Stage extends Closable>(row: Row<Stage>, open: () => Promise<Stage>): Promise<RowResult> {
  const start = performance.now()
  const { failure, claims } = await outcomeOf(row, open)
  const ms = Math.round(performance.now() - start)
  return { name: row.name, seams: row.seams, passed: failure === null, failure, ms, claims, withoutProof: row.withoutProof === true }
}

type Outcome = Pick<RowResult, 'failure' | 'claims'>

async function outcomeOf<Stage extends Closable>(row: Row<Stage>, open: () => Promise<Stage>): Promise<Outcome> {
  let stage: Stage | null = null
  try {
    stage = await open()
    await row.run(stage)
    const problems = stage.problems()
    return { failure: problems.length === 0 ? null : problems.join('\n'), claims: await stage.claims(row.withoutProof !== true) }
  } catch (error) {
    const story = (await stage?.story().catch(() => '')) ?? ''
    const words = error instanceof Error ? error.message : String(error)
    return { failure: `${words}${story === '' ? '' : `\n${story}`}`, claims: NO_CLAIMS }
  } finally {
    await stage?.close().catch(() => {})
  }
}
