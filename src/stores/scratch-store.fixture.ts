/** For tests: a store in a folder of its own that goes with the test. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Matcher } from '../match/match.ts'
import { openStores, type OpenStores } from './open.ts'

export interface Scratch {
  readonly home: string
  /** Folder of the default store. */
  readonly rules: string
  readonly serving: string
  /** Writes a file below the home folder, with the folders above it. Gives its path. */
  write(path: string, text: string | Uint8Array): string
  /** Opens the stores; they are closed with the scratch. */
  open(options?: Partial<Parameters<typeof openStores>[0]>): OpenStores
  [Symbol.dispose](): void
}

export function scratch(): Scratch {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'contextmd-stores-')))
  const config = join(home, 'config')
  const rules = join(config, 'rules')
  const serving = join(config, 'serving.json')
  const opened: OpenStores[] = []
  mkdirSync(rules, { recursive: true })
  return {
    home,
    rules,
    serving,
    write(path, text) {
      const file = join(home, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
      return file
    },
    open(options = {}) {
      const stores = openStores({ paths: { config, serving }, compile: () => NO_MATCH, now: Date.now, home, ...options })
      opened.push(stores)
      return stores
    },
    [Symbol.dispose]() {
      for (const stores of opened) stores.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** A good entry whose text is the given one. */
export function entryText(text: string, frontMatter = 'when:\n  - prompt: deploy'): string {
  return `---\n${frontMatter}\n---\n${text}\n`
}

const NO_MATCH: Matcher = { match: () => ({ candidates: [], notAnalysed: null }) }
