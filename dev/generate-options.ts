/**
 * Makes `src/match/command/options.data.ts`: which options the common programs have, which of them take a value, and which names
 * mean the same, from the completion specs of `@withfig/autocomplete`.
 *
 * Usage: `npm pack @withfig/autocomplete`, unpack it, then `node dev/generate-options.ts UNPACKED_FOLDER`.
 * Only facts are taken (names, and whether a value follows); texts are left behind.
 */
import { readFileSync, writeFileSync, existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const PROGRAMS = [
  ...[
    'git',
    'gh',
    'docker',
    'docker-compose',
    'podman',
    'kubectl',
    'helm',
    'minikube',
    'terraform',
    'terragrunt',
    'vault',
    'ansible-playbook',
  ],
  ...[
    'npm',
    'npx',
    'pnpm',
    'yarn',
    'bun',
    'deno',
    'node',
    'tsc',
    'eslint',
    'prettier',
    'jest',
    'turbo',
    'nx',
    'lerna',
    'vite',
    'next',
    'prisma',
  ],
  ...[
    'cargo',
    'rustup',
    'go',
    'python',
    'python3',
    'pip',
    'pip3',
    'poetry',
    'pipenv',
    'pytest',
    'uv',
    'ruff',
    'black',
    'make',
    'cmake',
    'gradle',
    'mvn',
  ],
  ...['dotnet', 'composer', 'php', 'bundle', 'rails', 'rake', 'gem', 'ruby', 'dart', 'flutter'],
  ...['aws', 'gcloud', 'vercel', 'netlify', 'wrangler', 'firebase', 'supabase', 'cdk'],
  ...['psql', 'mysql', 'sqlite3', 'pg_dump', 'mongosh', 'brew', 'apt', 'systemctl'],
  ...['ssh', 'scp', 'rsync', 'curl', 'wget', 'tar', 'zip', 'unzip', 'grep', 'rg', 'sed', 'find', 'fd', 'jq', 'less', 'bat'],
]
/** Deeper commands of large tools are rare in rules; an option that is not in the data is read both ways. */
const MAX_DEPTH = 3
/** Their "commands" in the specs are parts of a script or old spellings of options. */
const WITHOUT_COMMANDS = new Set(['sed', 'tar'])
/** Tools with thousands of commands: only their own options and the names of their commands. */
const SHALLOW = new Set(['aws', 'gcloud', 'firebase', 'supabase'])

/** The part of a completion spec that is used here. */
interface Spec {
  readonly name?: string | readonly string[]
  readonly options?: readonly Option[]
  readonly subcommands?: readonly Spec[]
  readonly loadSpec?: unknown
  readonly parserDirectives?: { readonly flagsArePosixNoncompliant?: boolean }
}
interface Option {
  readonly name: string | readonly string[]
  readonly args?: object | readonly object[]
  readonly requiresSeparator?: boolean | string
}
interface Node {
  options?: string
  long?: true
  commands?: Record<string, Node>
}

const folder = resolve(process.argv[2] ?? '.')
const version = (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version

async function load(name: string): Promise<Spec | null> {
  const file = join(folder, 'build', `${name}.js`)
  if (!existsSync(file)) return null
  const spec = ((await import(pathToFileURL(file).href)) as { default: unknown }).default
  return typeof spec === 'object' && spec !== null ? (spec as Spec) : null
}

const namesOf = (name: string | readonly string[] | undefined): string[] =>
  // A few specs leave holes in their lists of names.
  (typeof name === 'string' ? [name] : [...(name ?? [])])
    .map((one) => (one ?? '').replace(/=$/, ''))
    .filter((one) => /^[-\w.:+@]+$/.test(one))

/** `|` joins names of one option; `=` at the end: a value follows as a word of its own; `?`: a value only behind an equals sign. */
function optionLine(option: Option): string | null {
  const names = namesOf(option.name).filter((name) => name.startsWith('-') && name !== '-' && name !== '--')
  if (names.length === 0) return null
  const first = Array.isArray(option.args) ? (option.args[0] as object | undefined) : option.args
  if (first === undefined) return names.join('|')
  const optional = 'isOptional' in first && first.isOptional === true
  return names.join('|') + (optional || option.requiresSeparator ? '?' : '=')
}

async function nodeOf(spec: Spec, depth: number, shallow: boolean): Promise<Node> {
  const node: Node = {}
  const lines = (spec.options ?? []).map(optionLine).filter((line) => line !== null)
  if (lines.length > 0) node.options = [...new Set(lines)].toSorted().join(' ')
  if (spec.parserDirectives?.flagsArePosixNoncompliant) node.long = true
  const commands: Record<string, Node> = {}
  for (const sub of spec.subcommands ?? []) {
    const names = namesOf(sub.name).filter((name) => !name.startsWith('-'))
    if (names.length === 0 || depth >= MAX_DEPTH) continue
    const loaded = typeof sub.loadSpec === 'string' && !shallow ? await load(sub.loadSpec) : null
    const child = shallow ? {} : await nodeOf(loaded ?? sub, depth + 1, false)
    if (Object.keys(child).length > 0 || names.length > 1) commands[names.join('|')] = child
  }
  if (Object.keys(commands).length > 0)
    node.commands = Object.fromEntries(Object.entries(commands).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return node
}

const data: Record<string, Node> = {}
for (const program of PROGRAMS) {
  const spec = await load(program)
  if (spec === null) console.error(`no spec: ${program}`)
  else {
    data[program] = await nodeOf(spec, 0, SHALLOW.has(program))
    if (WITHOUT_COMMANDS.has(program)) delete data[program].commands
  }
}

writeFileSync(
  join(import.meta.dirname, '..', 'src', 'match', 'command', 'options.data.ts'),
  `/**
 * Options of common programs: generated by \`dev/generate-options.ts\`, not edited by hand.
 *
 * Facts from @withfig/autocomplete ${version} (MIT licence, Hercules Labs Inc. and contributors): names of options and commands, and
 * which options take a value. \`|\` joins names of one option or command; \`=\` at the end: a value follows; \`?\`: only behind an equals sign.
 */
import type { OptionNode } from './options.ts'

export const OPTIONS: Readonly<Record<string, OptionNode>> = ${JSON.stringify(data, null, 1)}
`,
)
