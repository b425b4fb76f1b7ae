import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ENTRY_KEYS } from '../stores/entry-schema.ts'
import { SERVING_KEYS } from '../stores/serving-schema.ts'
import { schemaFiles } from './schemas.ts'

test.each(schemaFiles())('schemas/$name is current (npm run schemas)', ({ name, text }) => {
  expect(readFileSync(new URL(`../../schemas/${name}`, import.meta.url), 'utf8')).toBe(text)
})

test('each key is described for editors', () => {
  const [entry, serving] = schemaFiles().map(({ text }) => JSON.parse(text).properties)
  expect(Object.keys(entry)).toEqual(ENTRY_KEYS)
  expect(ENTRY_KEYS.filter((key) => entry[key].description === undefined)).toEqual([])
  expect(Object.keys(serving)).toEqual(SERVING_KEYS)
})
