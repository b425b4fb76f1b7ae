/** Entries that many rows write, and their texts. */
import { join } from 'node:path'
import type { Stage } from './stage.ts'

export const PACK = 'PACK-RULE: releases are written into the ledger.'
export const AT_PROMPT = 'PROMPT-RULE: deployments are announced first.'
export const HOLD = 'HOLD-RULE: new files get an owner in OWNERS.'
export const SECOND = 'SECOND-RULE: file names are lower case.'
export const NEVER = 'NEVER-RULE: no new files in the release week.'
const GUIDE = '# Guide\n\nGUIDE-LINE: ask the owner of the folder before a file is added.\n'

/** A must-know entry that carries its own text. */
export function hold(text: string, title = 'Owners'): string {
  return `---\ntitle: ${title}\nmust-know: true\nwhen:\n  - command: touch\n---\n${text}\n`
}

/** `key`: one item of `when`, and keys behind it, one a line. */
export function plain(key: string, text: string, ...more: readonly string[]): string {
  return `---\ntitle: Plain\nwhen:\n  - ${key}\n${more.map((line) => `    ${line}\n`).join('')}---\n${text}\n`
}

/** An entry that names a guide to read before the call. Gives the guide's path. */
export async function guided(stage: Stage): Promise<string> {
  const head = 'title: Guide first\nmust-know: true\nwhen:\n  - command: touch\nread: guide.txt'
  await stage.place.entry('guide', `---\n${head}\n---\nRead the guide before you add a file.\n`)
  return stage.place.write(join(stage.place.store, 'guide.txt'), GUIDE)
}

/** The pack of a start (and of a compaction), a rule at a prompt, and a hold. */
export async function usual(stage: Stage): Promise<void> {
  await stage.place.entry('pack', plain('session: [start, compact]', PACK))
  await stage.place.entry('deploy', plain('prompt: deploy', AT_PROMPT))
  await stage.place.entry('owners', hold(HOLD))
}
