/** Files by which others find the server: written at its start, and again once they are gone or tell of something else. */

/** Some questions to the file system; who removed or replaced them waits that long until the server is found again. */
const LOOK_EVERY_MS = 2_000

export interface ToldFile {
  /** True while it tells what it should, or what another server wrote. */
  isThere(): boolean
  /** May throw. */
  write(): void
}

/** Writes all of them at once. `onError` gets the first failure of a row, of each file. Returns the way to stop. */
export function keepTold(files: readonly ToldFile[], isKept: boolean, onError: (thrown: unknown) => void): () => void {
  const failed = new Set<ToldFile>()
  const attempt = (file: ToldFile): void => {
    try {
      file.write()
      failed.delete(file)
    } catch (thrown) {
      if (!failed.has(file)) onError(thrown)
      failed.add(file)
    }
  }
  for (const file of files) attempt(file)
  if (!isKept) return () => {}
  const timer = setInterval(() => {
    for (const file of files) if (!file.isThere()) attempt(file)
  }, LOOK_EVERY_MS).unref()
  return () => clearInterval(timer)
}
