/**
 * The patches of Codex's `apply_patch`: which files one names, and the text that it adds.
 *
 * In: any text. Out: what its header lines say. A line that is no header is passed over; nothing is checked against the files.
 */

export interface PatchedFile {
  /** As the patch names it: mostly relative to the call's folder. */
  readonly path: string
  /** `add`: the whole file is written. `moved-to`: the new name of the file before it. */
  readonly change: 'add' | 'update' | 'delete' | 'moved-to'
}

export interface Patch {
  readonly files: readonly PatchedFile[]
  /** Lines that the patch adds, joined. Empty: none. */
  readonly added: string
}

const BEGIN = '*** Begin Patch'
const HEADER = /^\*\*\* (Add File|Update File|Delete File|Move to): (.+)$/
const CHANGES: Readonly<Record<string, PatchedFile['change']>> = {
  'Add File': 'add',
  'Update File': 'update',
  'Delete File': 'delete',
  'Move to': 'moved-to',
}

/** More than any patch names; what stands behind it is not looked at. */
const MAX_FILES = 1_000

/** Null if the text holds no patch. */
export function patchIn(text: string): Patch | null {
  const start = text.indexOf(BEGIN)
  if (start === -1) return null
  const files: PatchedFile[] = []
  const added: string[] = []
  for (const line of text.slice(start).split(/\r?\n/)) {
    const [, header = '', path = ''] = HEADER.exec(line) ?? []
    const change = CHANGES[header]
    if (change !== undefined && files.length < MAX_FILES) files.push({ path: path.trim(), change })
    else if (line.startsWith('+')) added.push(line.slice(1))
  }
  return { files, added: added.join('\n') }
}

/**
 * A shell line that hands a patch to `apply_patch`, in the two forms that Codex takes for one: by itself, or behind a `cd`.
 * A patch elsewhere in a line (a document that is written, a search) is only a mention.
 */
const SHELL_PATCH =
  /^\s*(?:cd\s+(?:'([^']+)'|"([^"$`\\]+)"|([^\s'"$`\\;&|]+))\s*&&\s*)?(?:apply_patch|applypatch)\s*<<-?\s*(['"]?)(\w+)\4\s*\n/

/** The patch that a shell line applies, and the folder that it goes into first; null if it applies none in a known form. */
export function patchInShell(command: string): { readonly patch: Patch; readonly folder: string | null } | null {
  const found = SHELL_PATCH.exec(command)
  if (found === null) return null
  const patch = patchIn(command.slice(found[0].length))
  return patch === null ? null : { patch, folder: found[1] ?? found[2] ?? found[3] ?? null }
}
