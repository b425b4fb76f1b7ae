/** `contextmd token`: makes, lists and revokes tokens. Works on the token file, whether the server runs or not. */
import { parseArgs } from 'node:util'
import { pathsFrom } from '../paths.ts'
import { nearest } from '../stores/nearest.ts'
import { openTokens, SCOPES, type Scope, type Tokens } from '../state/tokens.ts'
import { CommandError, type Command, type Io } from './command.ts'

const DEFAULT_DAYS = 365
/** Ten years. */
const MAX_DAYS = 3_650

const OPTIONS = {
  name: { type: 'string' },
  scope: { type: 'string', multiple: true },
  days: { type: 'string' },
  json: { type: 'boolean' },
} as const

export const command: Command = {
  name: 'token',
  summary: 'Issues, lists and revokes the tokens with which hooks and programs call the server.',
  usage: `contextmd token issue [--name NAME] [--scope SCOPE]… [--days DAYS]
contextmd token list [--json]
contextmd token revoke ID

Tokens are kept as hashes only: "issue" shows a new one once. "contextmd setup" issues the one that hooks need.

      --name NAME    what it is for, as it stands in the list
      --scope SCOPE  orchestration:read posts moments (default), entries:read searches and reads entries, log:read reads the
                     log, control switches and lifts
      --days DAYS    how long it is good for (default ${DEFAULT_DAYS})`,
  async run(argv, io) {
    const { values, positionals } = parseArgs({ args: argv, options: OPTIONS, allowPositionals: true })
    const [action, argument, ...more] = positionals
    if (more.length > 0) throw new CommandError('usage', `"${more[0]}" is one word too many`)
    const tokens = openTokens(pathsFrom(io.env).tokens, { now: () => Date.now() })
    switch (action) {
      case 'issue':
        return issue(tokens, values, io)
      case 'list':
        return list(tokens, values.json === true, io)
      case 'revoke':
        return revoke(tokens, argument, io)
      default:
        throw new CommandError('usage', action === undefined ? 'say what to do: issue, list or revoke' : unknownAction(action))
    }
  },
}

function issue(tokens: Tokens, wish: { name?: string; scope?: string[]; days?: string }, io: Io): number {
  const days = Number(wish.days ?? DEFAULT_DAYS)
  if (!Number.isInteger(days) || days < 1 || days > MAX_DAYS) throw new CommandError('usage', `--days takes a number from 1 to ${MAX_DAYS}`)
  const scopes = (wish.scope ?? ['orchestration:read']).map(parseScope)
  const { token, id, expiresAt } = tokens.issue({ name: wish.name ?? 'by hand', scopes, days })
  // The token alone on stdout, so that it can be piped into a file without being seen.
  io.stdout.write(`${token}\n`)
  io.stderr.write(
    `Token ${id}, good until ${new Date(expiresAt).toISOString().slice(0, 10)} for ${scopes.join(', ')}. It is not shown again.\n`,
  )
  return 0
}

function list(tokens: Tokens, json: boolean, io: Io): number {
  const all = tokens.list()
  if (json) io.stdout.write(`${JSON.stringify(all, null, 2)}\n`)
  else if (all.length === 0) io.stdout.write('No tokens. "contextmd setup" issues the one that hooks need.\n')
  else
    for (const { id, name, scopes, expiresAt, revokedAt } of all) {
      const end = revokedAt === null ? endOf(expiresAt) : 'revoked'
      io.stdout.write(`${id}  ${name}  ${scopes.join(', ')}  ${end}\n`)
    }
  return 0
}

function revoke(tokens: Tokens, id: string | undefined, io: Io): number {
  if (id === undefined) throw new CommandError('usage', 'name the token by its id, as in "contextmd token list"')
  if (!tokens.revoke(id)) throw new CommandError('failed', `there is no token ${id}: contextmd token list shows them`)
  io.stdout.write(`Token ${id} is revoked.\n`)
  return 0
}

function endOf(expiresAt: number): string {
  const date = new Date(expiresAt).toISOString().slice(0, 10)
  return expiresAt <= Date.now() ? `ran out on ${date}` : `good until ${date}`
}

function parseScope(text: string): Scope {
  if (isScope(text)) return text
  throw new CommandError('usage', `there is no scope "${text}": ${Object.keys(SCOPES).join(', ')}`)
}

function isScope(text: string): text is Scope {
  return Object.hasOwn(SCOPES, text)
}

function unknownAction(action: string): string {
  const suggestion = nearest(action, ['issue', 'list', 'revoke'])
  return suggestion === null ? `"${action}" is not issue, list or revoke` : `did you mean "${suggestion}"?`
}
