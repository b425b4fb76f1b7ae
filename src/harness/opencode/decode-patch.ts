/**
 * The text of `apply_patch`, the tool that models with GPT in their name get instead of `edit` and `write`: which files it touches,
 * and what it adds. Lines between `*** Begin Patch` and `*** End Patch`; a broken patch gives what can be read of it.
 */

const FILE = /^\*\*\* (Add File|Update File|Delete File|Move to): (.+)$/

export interface PatchedFile {
  readonly path: string
  /** A new file: all of it stands in the patch. */
  readonly isWhole: boolean
}

export function patchedFiles(patch: string): readonly PatchedFile[] {
  return patch.split('\n').flatMap((line) => {
    const [, action, path] = FILE.exec(line.trimEnd()) ?? []
    return action === undefined || path === undefined ? [] : [{ path: path.trim(), isWhole: action === 'Add File' }]
  })
}

/** The lines that it adds. */
export function patchedText(patch: string): string {
  return patch
    .split('\n')
    .filter((line) => line.startsWith('+'))
    .map((line) => line.slice(1))
    .join('\n')
}
