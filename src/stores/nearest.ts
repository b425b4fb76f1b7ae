/** Finds the word that its author meant, for mistakes in keys and values. */

/** More edits than this are another word, not a slip of the fingers. */
const MAX_EDITS = 2

/**
 * The known word with the fewest edits (insert, delete, replace, swap of neighbours), or null when none is within two.
 * A short word must share more than half of its letters, else `on` would be a slip of `id`.
 */
export function nearest(word: string, known: readonly string[]): string | null {
  let best: string | null = null
  let fewest = Math.min(MAX_EDITS, Math.floor((word.length - 1) / 2)) + 1
  for (const candidate of known) {
    const edits = editsBetween(word.toLowerCase(), candidate.toLowerCase())
    if (edits >= fewest) continue
    best = candidate
    fewest = edits
  }
  return best
}

function editsBetween(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > MAX_EDITS) return MAX_EDITS + 1
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      let edits = Math.min(at(last, j) + 1, at(row, j - 1) + 1, replaced)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) edits = Math.min(edits, at(beforeLast, j - 2) + 1)
      row.push(edits)
    }
    beforeLast = last
    last = row
  }
  return at(last, b.length)
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY
}
