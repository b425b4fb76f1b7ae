/**
 * What the index may look for in place of a pattern: several choices, each a list of literals of which one stands in every text that
 * the pattern matches. No choice: the pattern can't be looked up.
 */
/** Shorter literals can't be looked up by their three-character pieces. */
export const SHORTEST_LITERAL = 3

export type Choices = readonly (readonly string[])[]

/** Those that can be looked up at all. */
export function usable(choices: Choices): Choices {
  return choices.filter((literals) => literals.length > 0 && literals.every((literal) => literal.length >= SHORTEST_LITERAL))
}
