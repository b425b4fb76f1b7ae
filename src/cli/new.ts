/** `contextmd new`: writes an entry with tests, from flags or a few questions. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { draft, type DraftItem, type Wish } from '../authors/draft.ts'
import { pathsFrom } from '../paths.ts'
import { PROJECT_STORE, projectStoreName } from '../stores/project-store.ts'
import { projectOf } from '../stores/project.ts'
import { readServing } from '../stores/serving.ts'
import { CommandError, type Command, type Io } from './command.ts'
import { firstStoreFolder } from './first-store.ts'
import { ofFolder } from './lint.ts'
import { wishFrom } from './new-questions.ts'
import { problemLine } from './problem-line.ts'
import { homeOf } from './stores.ts'

const usage = `contextmd new [--title TEXT] [--command PATTERN] [--path GLOB [--write]] [--prompt WORDS] [--session WORD] [--tool NAME]
              [--content WORDS] [--output WORDS] [--failed] [--must-know | --forbid] [--text TEXT]
              [--store NAME | --project] [--name FILE]

Writes a new entry with tests, and checks it. What no flag says is asked for at the terminal. Conditions may be given several times:
any of the values may match; all kinds of conditions must.

      --title TEXT       what the rule is about, in a few words
      --command PATTERN  program and leading words, as in "git push --force"; or /regex/
      --path GLOB        files, from the project's root; with --write: only when they are written
      --must-know        the call is held until the agent has the rule's text
      --forbid           the call is denied, always
      --text TEXT        the rule itself
      --store NAME       a store of serving.json; default: the first
      --project          the store of this project, ${PROJECT_STORE}/ (see "contextmd trust")
      --name FILE        name of the file; default: made from the title

Example: contextmd new --title "Force push" --command "git push --force" --forbid --text "Use --force-with-lease."`

export const command: Command = {
  name: 'new',
  summary: 'Writes a new entry with tests, and checks it.',
  usage,
  run,
}

const OPTIONS = {
  title: { type: 'string' },
  text: { type: 'string' },
  'must-know': { type: 'boolean' },
  forbid: { type: 'boolean' },
  command: { type: 'string', multiple: true },
  path: { type: 'string', multiple: true },
  write: { type: 'boolean' },
  prompt: { type: 'string', multiple: true },
  session: { type: 'string', multiple: true },
  tool: { type: 'string', multiple: true },
  content: { type: 'string', multiple: true },
  output: { type: 'string', multiple: true },
  failed: { type: 'boolean' },
  store: { type: 'string' },
  project: { type: 'boolean' },
  name: { type: 'string' },
} as const

async function run(argv: string[], io: Io): Promise<number> {
  const { values } = parseArgs({ args: argv, options: OPTIONS, allowPositionals: false })
  if (values.forbid === true && values['must-know'] === true) throw new CommandError('usage', 'give --must-know or --forbid, not both')
  const store = storeFor(values.project === true, values.store, io)
  const { command: commands, path, prompt, session, tool, content, output, failed } = values
  const lists = { command: commands, path, prompt, session, tool, content, output }
  const given = Object.fromEntries(Object.entries(lists).filter(([, value]) => value !== undefined))
  const when: DraftItem = { ...given, ...(values.write === true ? { access: 'write' } : {}), ...(failed === true ? { failed } : {}) }
  const wish: Wish = await wishFrom(
    {
      ...(values.title === undefined ? {} : { title: values.title }),
      ...(values.text === undefined ? {} : { text: values.text }),
      ...(values.forbid === true || values['must-know'] === true
        ? { forbid: values.forbid === true, mustKnow: values['must-know'] === true }
        : {}),
      when,
    },
    io,
  )
  const file = join(store.folder, `${(values.name ?? slug(wish.title)).replace(/\.md$/i, '')}.md`)
  if (existsSync(file)) throw new CommandError('failed', `${file} is there already: choose another name with --name`)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, draft(wish, { file, store, home: homeOf(io) }), { flag: 'wx' })

  const problems = ofFolder(store.folder, io).problems.filter((problem) => problem.file === file)
  const lines = [`${file} is written.`, ...problems.map(problemLine)]
  lines.push(
    values.project === true
      ? 'It is served once you have trusted it: contextmd trust'
      : 'It is in force from the next moment on. Try it: contextmd try --help',
  )
  io.stdout.write(`${lines.join('\n')}\n`)
  return problems.some(({ severity }) => severity === 'error') ? 1 : 0
}

function storeFor(isProject: boolean, name: string | undefined, io: Io): { readonly name: string; readonly folder: string } {
  if (isProject) {
    const { root } = projectOf(process.cwd())
    return { name: projectStoreName(root), folder: join(root, PROJECT_STORE) }
  }
  const paths = pathsFrom(io.env)
  const { serving } = readServing({ serving: paths.serving, config: paths.config, home: homeOf(io) })
  const stores = serving?.stores ?? [{ name: 'rules', folder: firstStoreFolder(paths) }]
  const found = name === undefined ? stores[0] : stores.find((store) => store.name === name)
  if (found !== undefined) return found
  const known = stores.map((store) => store.name).join(', ')
  throw new CommandError('failed', `there is no store "${name ?? ''}" in ${paths.serving}${known === '' ? '' : `: there are ${known}`}`)
}

function slug(title: string): string {
  const words =
    title
      .toLowerCase()
      .normalize('NFKD')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  return words.join('-').slice(0, 60) || 'entry'
}
