/**
 * Makes a recording that may lie in the repository: what was heard goes in, lines for `examples/demo/session.jsonl` come out.
 *
 * Left out are lines that prove nothing and the program's own prose. What our server put in becomes a placeholder, so that a player can
 * put in what the server answers this time. Ids, times and paths are made plain.
 */
import { Hashes } from '../../src/demo/hashes.ts'
import { mapTexts } from '../../src/demo/texts.ts'
import type { Place } from '../place.ts'
import { isOurs, keptOf, withoutProse } from './prose.ts'
import type { Heard } from './tap.ts'

/** The home folder of a recording; the project lies in `project`, the store in `rules`, the program's files in `.claude`. */
const HOME = '/home/dev'
const STARTS_AT = Date.parse('2026-01-05T09:00:00.000Z')

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g

export interface Tidying {
  readonly place: Place
  readonly version: string
  /** Texts of the person: they are no prose of the program. */
  readonly prompts: readonly string[]
}

export function tidied(heard: readonly Heard[], { place, version, prompts }: Tidying): readonly object[] {
  const answers = new Answers()
  const tools = new Map<string, string>()
  const hashes = new Hashes()
  const plain = plainer(place)
  const steps = heard.flatMap((each): readonly object[] => {
    if (each.kind === 'event') {
      const event = plain(withoutProse(answers.leftOut(each.event), tools, prompts))
      answers.heard(each.number, each.text, each.reason)
      return [{ event }]
    }
    const records = each.lines.flatMap((line) => {
      const record = answers.leftOut(keptOf(JSON.parse(line)))
      const kept = record === null ? null : plain(withoutProse(record, tools, prompts))
      if (kept === null || (kept['type'] === 'api-request-blob' && !isOurs(kept))) return []
      return [hashes.madeAnew(kept)]
    })
    return records.length === 0 ? [] : [{ records }]
  })
  return [{ recording: { harness: 'claude-code', version, home: HOME } }, ...steps]
}

/** What the server put in, newest first: two denies may have the same reason. */
class Answers {
  #texts: { readonly text: string; readonly placeholder: string }[] = []

  heard(number: number, text: string | null, reason: string | null): void {
    if (reason !== null) this.#texts.unshift({ text: reason, placeholder: `{{reason ${number}}}` })
    if (text !== null) this.#texts.unshift({ text, placeholder: `{{answer ${number}}}` })
  }

  leftOut<T>(value: T): T {
    return mapTexts(value, (text) => this.#texts.reduce((left, each) => left.replaceAll(each.text, each.placeholder), text))
  }
}

/** Ids are numbered as they come, the first time is nine o'clock, and every path lies in one home folder. */
function plainer(place: Place): <T>(value: T) => T {
  const ids = new Map<string, string>()
  let first: number | null = null
  const plainId = (uuid: string): string => {
    const known = ids.get(uuid) ?? `00000000-0000-4000-8000-${String(ids.size + 1).padStart(12, '0')}`
    ids.set(uuid, known)
    return known
  }
  const plainTime = (time: string): string => {
    const at = Date.parse(time)
    first ??= at
    return new Date(STARTS_AT + at - first).toISOString()
  }
  const slug = (path: string): string => path.replaceAll(/[^A-Za-z0-9]/g, '-')
  return (value) =>
    mapTexts(value, (text) =>
      text
        .replaceAll(place.harnessConfig, `${HOME}/.claude`)
        .replaceAll(place.root, HOME)
        .replaceAll(slug(place.root), slug(HOME))
        .replaceAll(UUID, plainId)
        .replaceAll(TIME, plainTime),
    )
}
