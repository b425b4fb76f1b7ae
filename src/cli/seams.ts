/** `contextmd seams`: for each entry and harness, where its text arrives, or why it can't and what happens instead. */
import { parseArgs } from 'node:util'
import { ARRIVALS, seamsOf, type SeamLine } from '../authors/seams.ts'
import type { Entry } from '../core/entry.ts'
import type { Profile } from '../core/profile.ts'
import { HARNESSES } from '../harness/all.ts'
import { projectOf } from '../stores/project.ts'
import type { Command, Io } from './command.ts'
import { entryById, readStores } from './stores.ts'
import { harnessNamed } from './told-flags.ts'

const usage = `contextmd seams [--entry ID] [--harness NAME] [--json]

Says for each entry and each harness where the entry's text will arrive: before the call (held, forbidden), beside a moment,
or only with the call's result; and what happens where the harness takes no text (it is carried to the next moment that does)
or not so much of it (one line names the file instead).

      --entry ID       only this entry
      --harness NAME   only this harness
      --json           for programs`

export const command: Command = {
  name: 'seams',
  summary: 'Says where the text of each entry arrives in each harness.',
  usage,
  run: (argv, io) => Promise.resolve(run(argv, io)),
}

function run(argv: string[], io: Io): number {
  const options = { entry: { type: 'string' }, harness: { type: 'string' }, json: { type: 'boolean' } } as const
  const { values } = parseArgs({ args: argv, options, allowPositionals: false })
  const seen = readStores(io, projectOf(process.cwd()).root)
  const entries = values.entry === undefined ? seen.view.entries : [entryById(seen, values.entry)]
  const harnesses = values.harness === undefined ? HARNESSES : [harnessNamed(values.harness)]
  const reports = entries.map((entry) => ({
    entry,
    harnesses: harnesses.map(({ profile }) => ({ profile, seams: seamsOf(entry, profile) })),
  }))
  if (values.json === true) {
    const listed = reports.flatMap(({ entry, harnesses: of }) =>
      of.map(({ profile, seams }) => ({ entry: entry.id, harness: profile.name, seams })),
    )
    io.stdout.write(`${JSON.stringify({ seams: listed }, null, 2)}\n`)
    return 0
  }
  io.stdout.write(reports.map(({ entry, harnesses: of }) => `${entryLines(entry, of).join('\n')}\n`).join('\n'))
  return 0
}

function entryLines(entry: Entry, harnesses: readonly { readonly profile: Profile; readonly seams: readonly SeamLine[] }[]): string[] {
  return [
    `${entry.id}  "${entry.title}"`,
    ...harnesses.flatMap(({ profile, seams }) =>
      seams.length === 0 ? [`  ${profile.title}: out of its scope`] : seams.map((seam) => `  ${profile.title}: ${seamLine(seam)}`),
    ),
  ]
}

function seamLine({ item, moment, arrival, size }: SeamLine): string {
  const where = moment === null ? '' : ` (${moment})`
  return `item ${item + 1}${where}: ${ARRIVALS[arrival]}${sizeWords(size)}`
}

function sizeWords(size: SeamLine['size']): string {
  switch (size) {
    case 'whole':
      return ''
    case 'pointer':
      return '; it names the files to read'
    case 'over the limit of the harness':
    case 'over the budget of a run':
      return `; ${size}: one line that names a file with it goes in its place`
    default:
      return size satisfies never
  }
}
