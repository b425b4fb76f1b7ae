/** Puts into a recording what belongs there this time: this machine's folders, today's times, what our server answered. */
import type { Json } from '../harness/json.ts'
import { Hashes } from './hashes.ts'
import { mapTexts } from './texts.ts'

const PLACEHOLDER = /\{\{(answer|reason) (\d+)\}\}/g
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g

/** The texts of one hook answer. */
export interface Answered {
  /** The text beside the moment; empty if there was none. */
  readonly answer: string
  /** The reason of a deny; empty if there was none. */
  readonly reason: string
}

export interface Filling {
  /** Home folder in the recording, and the folder that stands for it. */
  readonly home: string
  readonly root: string
  /** The session begins now: a read of a file counts only if it came after the file's last change. */
  readonly startsAt: number
}

export class Placeholders {
  readonly #filling: Filling
  readonly #answers = new Map<number, Answered>()
  readonly #hashes = new Hashes()
  #firstAt: number | null = null

  constructor(filling: Filling) {
    this.#filling = filling
  }

  answered(step: number, answered: Answered): void {
    this.#answers.set(step, answered)
  }

  event(event: Json): Json {
    return this.#filled(event)
  }

  record(record: Json): Json {
    return this.#hashes.madeAnew(this.#filled(record))
  }

  #filled(value: Json): Json {
    const { home, root } = this.#filling
    return mapTexts(value, (text) =>
      text
        .replaceAll(home, root)
        .replaceAll(TIME, (time) => this.#timeNow(time))
        .replaceAll(PLACEHOLDER, (_, which: keyof Answered, step: string) => this.#answers.get(Number(step))?.[which] ?? ''),
    )
  }

  #timeNow(recorded: string): string {
    const at = Date.parse(recorded)
    this.#firstAt ??= at
    return new Date(this.#filling.startsAt + at - this.#firstAt).toISOString()
  }
}
