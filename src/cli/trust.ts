/** `contextmd trust`: shows the entries that a project brings, and lets them be served once a person has seen them. */
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ownEntries, type OwnEntry } from '../authors/own-entries.ts'
import { visible } from '../authors/visible.ts'
import { pathsFrom } from '../paths.ts'
import { PROJECT_STORE } from '../stores/project-store.ts'
import { projectOf } from '../stores/project.ts'
import { changeTrust, readTrust, TrustError, type Trust, type TrustedProject } from '../stores/trust.ts'
import { CommandError, type Command, type Io } from './command.ts'
import { homeOf } from './stores.ts'

const usage = `contextmd trust [DIR] [--follow] [--yes]
contextmd trust --list
contextmd trust --revoke [DIR]

A project may bring entries of its own, in its folder .contextmd. A cloned repository must not put words into the agent's ear:
they are served only once you have seen them. This shows the whole text of each entry that is new or changed and asks; what a pull
adds or changes later waits until you run it again, while the others are served. DIR is the project's folder; default: here.

      --follow   trusts the folder: whatever it holds later is served without being seen
      --yes      does not ask; needed where there is no terminal
      --list     the projects that are trusted
      --revoke   trusts the project no more`

export const command: Command = {
  name: 'trust',
  summary: 'Shows the entries that a project brings, and lets them be served.',
  usage,
  run,
}

const OPTIONS = {
  follow: { type: 'boolean' },
  yes: { type: 'boolean', short: 'y' },
  list: { type: 'boolean' },
  revoke: { type: 'boolean' },
} as const

async function run(argv: string[], io: Io): Promise<number> {
  const { values, positionals } = parseArgs({ args: argv, options: OPTIONS, allowPositionals: true })
  if (positionals.length > 1) throw new CommandError('usage', 'name one project')
  const file = pathsFrom(io.env).trust
  const trust = readOrFail(file)
  if (values.list === true) return list(trust, io)
  const { root } = projectOf(resolve(positionals[0] ?? process.cwd()))
  const trusted = trust.get(root) ?? null
  if (values.revoke === true) {
    if (trusted === null) throw new CommandError('failed', `${root} is not trusted`)
    change(file, (before) => new Map([...before].filter(([key]) => key !== root)))
    io.stdout.write(`${root} is trusted no more.\n`)
    return 0
  }
  const entries = ownEntries(root, homeOf(io), trusted)
  if (entries === null) throw new CommandError('failed', `${root} brings no store: there is no folder ${join(root, PROJECT_STORE)}`)
  return await offer(entries, { root, file, trusted, follow: values.follow === true, yes: values.yes === true, io })
}

interface Offer {
  readonly root: string
  readonly file: string
  readonly trusted: TrustedProject | null
  readonly follow: boolean
  readonly yes: boolean
  readonly io: Io
}

async function offer(entries: readonly OwnEntry[], { root, file, trusted, follow, yes, io }: Offer): Promise<number> {
  const unseen = entries.filter(({ state }) => state === 'new' || state === 'changed')
  const gone = [...(trusted?.entries.keys() ?? [])].filter((name) => entries.every((entry) => entry.name !== name))
  io.stdout.write(entries.map(shown).join(''))
  const follows = follow || (trusted?.follow ?? false)
  const isAsBefore = trusted !== null && unseen.length === 0 && gone.length === 0 && follows === trusted.follow
  if (isAsBefore) {
    io.stdout.write(`${count(entries.length)} in ${root}: nothing is new.\n`)
    return 0
  }
  const servable = unseen.filter(({ mistakes }) => mistakes.length === 0).length
  const question = follow
    ? `Trust the store of ${root}, and whatever it holds later?`
    : `Serve ${servable === 0 ? 'the rest of these' : count(servable)} in ${root}?`
  if (!yes && !(await isAgreed(question, io))) {
    io.stdout.write('Nothing was changed.\n')
    return 1
  }
  const pinned = new Map(entries.flatMap(({ name, hash }) => (hash === null ? [] : [[name, hash] as const])))
  change(file, (before) => new Map([...before, [root, { follow: follows, entries: pinned }]]))
  const later = follows ? 'What is added or changed later is served too.' : 'What is added or changed later waits until you run this again.'
  const broken = entries.filter(({ hash, mistakes }) => hash !== null && mistakes.length > 0).length
  const good = pinned.size - broken
  const not = broken === 0 ? '' : ` ${count(broken)} with a mistake ${broken === 1 ? 'is' : 'are'} not served: contextmd lint says why.`
  io.stdout.write(`${count(good)} in ${root} ${good === 1 ? 'is' : 'are'} trusted.${not} ${later}\n`)
  return 0
}

async function isAgreed(question: string, io: Io): Promise<boolean> {
  if (io.ask === undefined) throw new CommandError('failed', 'there is no terminal to ask at: look at the entries above, then add --yes')
  return /^y(es)?$/i.test(await io.ask(`${visible(question)} [y/N] `))
}

function shown({ name, state, text, mistakes }: OwnEntry): string {
  const head = `── ${visible(name)} (${state})`
  const notes = mistakes.map((mistake) => `   not served: ${visible(mistake)}\n`).join('')
  return state === 'trusted' || state === 'refused' ? `${head}\n${notes}` : `${head}\n${notes}${text.trimEnd()}\n\n`
}

function list(trust: Trust, io: Io): number {
  if (trust.size === 0) io.stdout.write('No project is trusted.\n')
  for (const [root, { follow, entries }] of trust) io.stdout.write(`${root}  ${follow ? 'followed' : count(entries.size)}\n`)
  return 0
}

function count(entries: number): string {
  return `${entries} ${entries === 1 ? 'entry' : 'entries'}`
}

function readOrFail(file: string): Trust {
  const read = readTrust(file)
  if (read.state === 'read') return read.trust
  throw new CommandError('failed', `${file}: ${read.problem.message} (${read.problem.cure})`)
}

function change(file: string, how: (trust: Trust) => Trust): void {
  try {
    changeTrust(file, how)
  } catch (error) {
    if (error instanceof TrustError) throw new CommandError('failed', error.message, { cause: error })
    throw error
  }
}
