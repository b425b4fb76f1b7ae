/**
 * A record of a request names its messages by hash. Where texts of a recording are changed, the hashes are made anew.
 *
 * One instance goes over the records of one session, oldest first.
 */
import { listIn, objectIn, textIn, type Json } from '../harness/json.ts'
import { messageHash } from '../harness/claude-code/records-hash.ts'

export class Hashes {
  readonly #made = new Map<string, string>()

  /** The record as it must be, now that its texts are others. */
  madeAnew(record: Json): Json {
    switch (record['type']) {
      case 'api-request-blob': {
        const { role, content } = objectIn(record['message'])
        const hash = messageHash(textIn(role) ?? '', listIn(content))
        this.#made.set(textIn(record['hash']) ?? '', hash)
        return { ...record, hash }
      }
      case 'api-request':
        return { ...record, tail: listIn(record['tail']).map((hash) => this.#made.get(String(hash)) ?? hash) }
      default:
        return record
    }
  }
}
