/** The few numbers that say what many measurements were. All pure. */

export interface Summary {
  readonly count: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly max: number
}

/** By the nearest rank: always a value that was measured. Throws a `RangeError` where nothing was. */
export function quantile(values: readonly number[], part: number): number {
  return ofSorted(
    values.toSorted((a, b) => a - b),
    part,
  )
}

export function summary(values: readonly number[]): Summary {
  const sorted = values.toSorted((a, b) => a - b)
  return {
    count: sorted.length,
    p50: ofSorted(sorted, 0.5),
    p95: ofSorted(sorted, 0.95),
    p99: ofSorted(sorted, 0.99),
    max: ofSorted(sorted, 1),
  }
}

/**
 * How many times as much `values` are as `base`, by the medians of rounds that were run side by side: the median of the rounds' ratios,
 * so that a round in which the machine was busy with something else weighs no more than another. Throws where there is no round.
 */
export function pairedRatio(values: readonly (readonly number[])[], base: readonly (readonly number[])[]): number {
  const ratios = values.flatMap((round, index) => {
    const other = base[index] ?? []
    return round.length === 0 || other.length === 0 ? [] : [quantile(round, 0.5) / quantile(other, 0.5)]
  })
  return quantile(ratios, 0.5)
}

/** The smallest median of a round. Throws where there is none. */
export function quietest(rounds: readonly (readonly number[])[]): number {
  return quantile(
    rounds.filter((round) => round.length > 0).map((round) => quantile(round, 0.5)),
    0,
  )
}

function ofSorted(sorted: readonly number[], part: number): number {
  const value = sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)]
  if (value === undefined) throw new RangeError('nothing was measured')
  return value
}
