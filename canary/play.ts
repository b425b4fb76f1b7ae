/** Plays one row and gives what came of it; never throws. */
import type { Row, RowResult } from './row.ts'

export interface Closable {
  close(): Promise<void>
  /** Trouble that the row itself did not see: a call of the program that the scripted model does not know. */
  problems(): readonly string[]
  /** What a person needs to find the cause: the log, what the server printed. */
  story(): Promise<string>
}

export async function playRow<Stage extends Closable>(row: Row<Stage>, open: () => Promise<Stage>): Promise<RowResult> {
  const start = performance.now()
  const failure = await failureOf(row, open)
  return { name: row.name, seams: row.seams, passed: failure === null, failure, ms: Math.round(performance.now() - start) }
}

async function failureOf<Stage extends Closable>(row: Row<Stage>, open: () => Promise<Stage>): Promise<string | null> {
  let stage: Stage | null = null
  try {
    stage = await open()
    await row.run(stage)
    const problems = stage.problems()
    return problems.length === 0 ? null : problems.join('\n')
  } catch (error) {
    const story = (await stage?.story().catch(() => '')) ?? ''
    return `${error instanceof Error ? error.message : String(error)}${story === '' ? '' : `\n${story}`}`
  } finally {
    await stage?.close().catch(() => {})
  }
}
