/** Whether a claim carried its entry's text or only a pointer to it: a fork or a resume that replays it holds no more than that. */
import type { Migration } from './migration.ts'

export const formsOfClaims: Migration = {
  number: 3,
  columns: [{ table: 'candidates', name: 'form', definition: 'TEXT' }],
  sql: '',
}
