/** Compiles entries so that one which can't be compiled never stops another. */
import type { Entry } from '../core/entry.ts'
import type { Problem } from '../core/problem.ts'
import type { Matcher } from '../match/match.ts'

export type Compile = (entries: readonly Entry[]) => Matcher

export interface Compiled {
  readonly entries: readonly Entry[]
  readonly matcher: Matcher
  readonly problems: readonly Problem[]
}

export function compileAll(entries: readonly Entry[], compile: Compile): Compiled {
  try {
    return { entries, matcher: compile(entries), problems: [] }
  } catch {
    return compileGoodOnes(entries, compile)
  }
}

/** Slow, and only taken when a check of ours let something pass that the matcher does not take. */
function compileGoodOnes(entries: readonly Entry[], compile: Compile): Compiled {
  const problems: Problem[] = []
  const good = entries.filter((entry) => {
    try {
      compile([entry])
      return true
    } catch (thrown) {
      problems.push(notCompiled(entry, thrown))
      return false
    }
  })
  return { entries: good, matcher: compile(good), problems }
}

function notCompiled(entry: Entry, thrown: unknown): Problem {
  const detail = thrown instanceof Error ? thrown.message : String(thrown)
  return {
    code: 'entry_not_compiled',
    severity: 'error',
    message: `its \`when\` can't be used: ${detail}; the entry is not served`,
    cure: 'write the condition in another way, and report this: the check should have said it better',
    file: entry.file,
    key: 'when',
  }
}
