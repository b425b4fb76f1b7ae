/** Writes `schemas/*.json`: run `npm run schemas` after a change of what entries or serving.json may hold. A test says when that is due. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { schemaFiles } from '../src/authors/schemas.ts'

const folder = join(import.meta.dirname, '..', 'schemas')

mkdirSync(folder, { recursive: true })
for (const { name, text } of schemaFiles()) writeFileSync(join(folder, name), text)
