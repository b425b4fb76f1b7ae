/** Stands in for the host's own program `t3`: it works on the small host's store of credentials and sessions, in a process of its own. */
import { homedir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createCredential, revokeSession } from './host-auth.fixture.ts'

const options = { version: { type: 'boolean' }, json: { type: 'boolean' }, 'base-dir': { type: 'string' } } as const
const { values, positionals } = parseArgs({ options, allowPositionals: true })
const base = values['base-dir'] ?? (process.env['T3CODE_HOME'] || join(homedir(), '.t3'))
const stateDir = join(base, 'userdata')

if (values.version === true) console.log('t3 1.2.3')
else if (positionals.join(' ') === 'auth pairing create' && values.json === true) {
  console.log(JSON.stringify({ id: 'pairing-1', credential: createCredential(stateDir), scopes: [] }, null, 2))
} else if (positionals.slice(0, 3).join(' ') === 'auth session revoke') {
  process.exitCode = revokeSession(stateDir, positionals[3] ?? '') ? 0 : 1
} else {
  console.error(`t3: what is ${positionals.join(' ')}?`)
  process.exitCode = 1
}
