/** What a view of the stores holds, in short. */
import type { StoreView } from './stores.ts'

/** Texts by id. */
export function texts(view: StoreView): Record<string, string> {
  return Object.fromEntries(view.entries.map(({ id, text }) => [id, text]))
}

export function codes(view: StoreView): string[] {
  return view.problems.map(({ code }) => code).toSorted()
}
