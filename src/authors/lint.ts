/** Everything that lint says: the problems of the stores, and advice on the entries that are in order. */
import type { Entry } from '../core/entry.ts'
import type { Problem } from '../core/problem.ts'
import { byPlace } from '../stores/lint.ts'
import { adviceOn, type AdviceOptions } from './advice.ts'

/** `ownFolder`: folder of the project's own store; its entries serve that project and no other. */
export function withAdvice(
  problems: readonly Problem[],
  entries: readonly Entry[],
  { ownFolder, projectRoot, ...options }: AdviceOptions & { readonly ownFolder: string | null },
): readonly Problem[] {
  const advice = entries.flatMap((entry) =>
    adviceOn(entry, { ...options, projectRoot: ownFolder !== null && entry.file.startsWith(`${ownFolder}/`) ? projectRoot : null }),
  )
  return [...problems, ...advice].sort(byPlace)
}
