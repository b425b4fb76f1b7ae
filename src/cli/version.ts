/** The version in package.json, which lies two folders above this file in the checkout and in the package. */
import { readFileSync } from 'node:fs'
import { z } from 'zod'

export function readVersion(): string {
  const file = new URL('../../package.json', import.meta.url)
  return z.object({ version: z.string() }).parse(JSON.parse(readFileSync(file, 'utf8'))).version
}
