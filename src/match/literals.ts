/**
 * Literals that every match of a regex must contain: what the index looks for before a pattern is tried.
 *
 * Out: lists, of each of which at least one literal stands in any matching text (folded to lower case); none when nothing can be said. Only ASCII
 * without white space is given, since case folding beyond it is not one to one. Too short a list is fine, a wrong one is a bug.
 */

import { SHORTEST_LITERAL } from './choices.ts'
import type { Choices } from './choices.ts'

/** More alternatives than this say too little. */
const MAX_ALTERNATIVES = 16

/** Several lists may be found, and each of them holds: whoever looks them up takes the one that says most. */
export function requiredLiterals(source: string): Choices {
  const reader = new Reader(source)
  const found = reader.alternatives()
  if (reader.gaveUp || !reader.atEnd()) return []
  return found.filter((literals) => literals.length <= MAX_ALTERNATIVES).map((literals) => literals.map((literal) => literal.toLowerCase()))
}

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

  /** `a|b|c`: each branch must say something, and its best is taken. Stops before a closing bracket. */
  alternatives(): Choices {
    const branches = [this.#sequence()]
    while (this.#source[this.#at] === '|') {
      this.#at += 1
      branches.push(this.#sequence())
    }
    const [only, ...others] = branches
    if (only && others.length === 0) return only
    const best = branches.map((branch) => branch.reduce<readonly string[]>((a, b) => (worth(b) > worth(a) ? b : a), []))
    return best.every((literals) => literals.length > 0) ? [best.flat()] : []
  }

  /** All that a branch must contain. */
  #sequence(): Choices {
    const found: (readonly string[])[] = []
    let run = ''
    const end = () => {
      if (run.length >= SHORTEST_LITERAL) found.push([run])
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
      if (piece.kind === 'group' && least >= 1) found.push(...piece.found)
    }
    end()
    return found
  }

  #piece(): { kind: 'literal'; text: string } | { kind: 'group'; found: Choices } | { kind: 'nothing' } | { kind: 'any' } {
    const char = this.#source[this.#at] ?? ''
    this.#at += 1
    if (char === '(') return this.#group()
    if (char === '[') return this.#class()
    if (char === '\\') return this.#escape()
    if (char === '^' || char === '$') return { kind: 'nothing' }
    if (char === '.' || !isPlain(char)) return { kind: 'any' }
    return { kind: 'literal', text: char }
  }

  #group(): { kind: 'group'; found: Choices } | { kind: 'any' } {
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

/** Fewer alternatives are better, then a longer shortest one. */
function worth(literals: readonly string[]): number {
  return literals.length === 0 ? -Infinity : Math.min(...literals.map((literal) => literal.length)) - literals.length
}
