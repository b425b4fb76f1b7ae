import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { positional } from './parameters.ts'

test('numbered parameters become anonymous ones with the same values, in whatever order and however often', () => {
  const database = new DatabaseSync(':memory:')
  const { sql, params } = positional('SELECT ?2 AS b, ?1 AS a, ?2 AS again, ?3 AS c', ['x', 2, null])
  expect(sql).not.toMatch(/\?\d/)
  expect({ ...database.prepare(sql).get(...params) }).toEqual({ b: 2, a: 'x', again: 2, c: null })
  database.close()
})

test('a statement without parameters stays as it is', () => {
  expect(positional('PRAGMA schema_version', [])).toEqual({ sql: 'PRAGMA schema_version', params: [] })
})
