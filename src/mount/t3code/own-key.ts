/** The secret by which hooks of this person know a server of ours, as a host holds it. */
import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { ensureKey } from '../../proof.ts'

export interface OwnKey {
  /** Null where it can't be had: then hooks that want a proof do not post here. */
  current(): string | null
  /** Reads it anew: the person may have removed ContextMD's data, and set it up again, while the host runs. Makes no folder. */
  refresh(): void
}

/** Makes the key, and its folder, where there is none. */
export function openOwnKey(file: string): OwnKey {
  let key = orNull(() => {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    return ensureKey(file)
  })
  return {
    current: () => key,
    refresh() {
      key = existsSync(dirname(file)) ? orNull(() => ensureKey(file)) : null
    },
  }
}

function orNull(make: () => string): string | null {
  try {
    return make()
  } catch {
    return null
  }
}
