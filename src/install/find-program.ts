/** Programs as a shell would find them. */
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

/** The file that the name stands for on this PATH; null if there is none. A name with a path in it is looked at itself. */
export function findProgram(name: string, path: string | undefined): string | null {
  if (isAbsolute(name)) return isProgram(name) ? name : null
  const folders = (path ?? '').split(delimiter).filter((folder) => isAbsolute(folder))
  return folders.map((folder) => join(folder, name)).find(isProgram) ?? null
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
