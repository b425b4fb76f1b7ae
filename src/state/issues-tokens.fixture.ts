/** Issues as many tokens as the second argument says into the file of the first, and prints each. */
import { openTokens } from './tokens.ts'

const [, , file = '', count = '0'] = process.argv
const tokens = openTokens(file, { now: () => 1_000 })
for (let issued = 0; issued < Number(count); issued++) {
  console.log(tokens.issue({ name: 'a name', scopes: ['control'], days: 1 }).token)
}
