/**
 * Matching as the hookify plugin does it: a folder of rule files with one regex each; every call reads all of them and tries each regex
 * on the raw command. Its own process (Python, started for each call) is not part of it.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Entry } from '../src/core/entry.ts'

export interface HookifyStyle {
  /** How many rules match. Reads every file. */
  match(command: string): number
  close(): void
}

/** A rule for each entry. Those without a command are about other events: they are read, and passed over. */
export function hookifyStyle(entries: readonly Entry[]): HookifyStyle {
  const root = mkdtempSync(join(tmpdir(), 'contextmd-hookify-'))
  const folder = join(root, '.claude')
  mkdirSync(folder)
  for (const [number, entry] of entries.entries()) {
    const command = entry.when.flatMap((item) => item.command ?? [])[0]
    const pattern =
      command === undefined
        ? 'x'
        : (/^\/(.*)\/$/.exec(command)?.[1] ?? command.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(' ', '\\s+'))
    const head = `name: rule-${number}\nenabled: true\nevent: ${command === undefined ? 'file' : 'bash'}\npattern: ${pattern}`
    writeFileSync(join(folder, `hookify.rule-${number}.local.md`), `---\n${head}\n---\n${entry.text}\n`)
  }
  return {
    match(command) {
      let matching = 0
      for (const name of readdirSync(folder)) {
        const text = readFileSync(join(folder, name), 'utf8')
        const rule = Object.fromEntries(
          (text.split('---\n')[1] ?? '')
            .split('\n')
            .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
        )
        if (rule['enabled'] !== 'true' || rule['event'] !== 'bash') continue
        if (new RegExp(rule['pattern'] ?? '', 'i').test(command)) matching += 1
      }
      return matching
    },
    close: () => rmSync(root, { recursive: true, force: true }),
  }
}
