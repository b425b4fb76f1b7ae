/**
 * Literals that every match of a regex must contain: what the index looks for before a pattern is tried.
 *
 * Out: a list of which at least one stands in any matching text (folded to lower case), or null when nothing can be said. Only ASCII
 * without white space is given, since case folding beyond it is not one to one. Too short a list is fine, a wrong one is a bug.
 */

/** Shorter literals can't be looked up by their three-letter pieces. */
export const SHORTEST_LITERAL = 3
/** More alternatives than this say too little. */
const MAX_ALTERNATIVES = 16

export function requiredLiterals(source: string): readonly string[] | null {
  const reader = new Reader(source)
  const found = reader.alternatives()
  if (reader.gaveUp || !reader.atEnd() || found === null || found.length === 0 || found.length > MAX_ALTERNATIVES) return null
  return found.map((literal) => literal.toLowerCase())
}

type Found = readonly string[] | null

class Reader {
  readonly #source: string
  #at = 0
  /** Something was met that is not read here: nothing that was found may be relied on. */
  gaveUp = false

  constructor(source: string) {
    this.#source = source
  }

  atEnd(): boolean {
    return this.#at >= this.#source.length
  }

  /** `a|b|c`: each branch must say something. Stops before a closing bracket. */
  alternatives(): Found {
    let all: string[] | null = []
    for (;;) {
      const branch = this.#sequence()
      if (branch === null || all === null) all = null
      else all.push(...branch)
      if (this.#source[this.#at] !== '|') return all
      this.#at += 1
    }
  }

  /** The best of the literals that a branch must contain. */
  #sequence(): Found {
    let best: Found = null
    let run = ''
    const end = () => {
      best = better(best, run.length >= SHORTEST_LITERAL ? [run] : null)
      run = ''
    }
    while (!this.atEnd() && this.#source[this.#at] !== '|' && this.#source[this.#at] !== ')') {
      const piece = this.#piece()
      const { least, most } = this.#quantifier()
      if (piece.kind === 'literal' && least === 1 && most === 1) {
        run += piece.text
        continue
      }
      if (piece.kind === 'literal' && least >= 1) {
        run += piece.text
        end()
        run = piece.text
        continue
      }
      if (piece.kind === 'nothing' && least === 1 && most === 1) continue
      end()
      if (piece.kind === 'group' && least >= 1) best = better(best, piece.found)
    }
    end()
    return best
  }

  #piece(): { kind: 'literal'; text: string } | { kind: 'group'; found: Found } | { kind: 'nothing' } | { kind: 'any' } {
    const char = this.#source[this.#at] ?? ''
    this.#at += 1
    if (char === '(') return this.#group()
    if (char === '[') return this.#class()
    if (char === '\\') return this.#escape()
    if (char === '^' || char === '$') return { kind: 'nothing' }
    if (char === '.' || !isPlain(char)) return { kind: 'any' }
    return { kind: 'literal', text: char }
  }

  #group(): { kind: 'group'; found: Found } | { kind: 'any' } {
    if (this.#source[this.#at] === '?') {
      const named = /^\?(?::|P?<\w+>)/.exec(this.#source.slice(this.#at, this.#at + 64))
      if (!named) {
        // Flags within the pattern or a group unknown here: give up on all of it.
        return this.#giveUp()
      }
      this.#at += named[0].length
    }
    const found = this.alternatives()
    this.#at += 1
    return { kind: 'group', found }
  }

  #giveUp(): { kind: 'any' } {
    this.gaveUp = true
    this.#at = this.#source.length
    return { kind: 'any' }
  }

  #class(): { kind: 'any' } {
    if (this.#source[this.#at] === '^') this.#at += 1
    if (this.#source[this.#at] === ']') this.#at += 1
    while (!this.atEnd() && this.#source[this.#at] !== ']') {
      if (this.#source.startsWith('[:', this.#at)) {
        const close = this.#source.indexOf(':]', this.#at + 2)
        if (close > 0) this.#at = close + 1
      } else if (this.#source[this.#at] === '\\') this.#at += 1
      this.#at += 1
    }
    this.#at += 1
    return { kind: 'any' }
  }

  #escape(): { kind: 'literal'; text: string } | { kind: 'nothing' } | { kind: 'any' } {
    const char = this.#source[this.#at] ?? ''
    this.#at += 1
    if (char === 'b') return { kind: 'nothing' }
    if (/[pPxuQc0-9]/.test(char)) {
      // Classes, codes and quotations with an end of their own: give up on all of it.
      return this.#giveUp()
    }
    if (/[a-zA-Z]/.test(char) || !isPlain(char)) return { kind: 'any' }
    return { kind: 'literal', text: char }
  }

  #quantifier(): { least: number; most: number } {
    const found = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})[?+]?/.exec(this.#source.slice(this.#at, this.#at + 32))
    if (!found) return { least: 1, most: 1 }
    this.#at += found[0].length
    if (found[0].startsWith('*')) return { least: 0, most: Infinity }
    if (found[0].startsWith('?')) return { least: 0, most: 1 }
    if (found[0].startsWith('+')) return { least: 1, most: Infinity }
    const least = Number(found[1])
    return { least, most: found[2] === ',' ? Number(found[3] || Infinity) : least }
  }
}

/** Printable ASCII but for white space. */
const isPlain = (char: string) => char > ' ' && char < '\u007f'

/** Prefers fewer alternatives, then the longer shortest one. */
function better(a: Found, b: Found): Found {
  if (a === null || b === null) return a ?? b
  const shortest = (found: readonly string[]) => Math.min(...found.map((literal) => literal.length))
  return shortest(b) - b.length > shortest(a) - a.length ? b : a
}
