/**
 * Entries for a store of any size, the same in every run: a few that the moments of a session meet, and as many others as wanted.
 *
 * The others name the programs that everyone uses (git, npm, docker …) with words that no moment of the benchmark has, since that is what
 * a matcher has to tell apart.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface CorpusFile {
  /** Path within the store. */
  readonly path: string
  readonly text: string
}

/** Files of one folder: an editor of rules sorts them somehow, and the kernel is asked for one watch a folder. */
const FILES_A_FOLDER = 500

/** What the session of the benchmark meets: a pack, a rule beside a prompt, one beside and one after a call, a hold, a forbid. */
const MET: readonly CorpusFile[] = [
  met(
    'house',
    'when:\n  - session: [start, compact, subagent]',
    'Change only what the task needs. Before you say that something works, run it.',
  ),
  met('release', 'when:\n  - prompt: [release notes]', 'Release notes say what a user can do now. One line each, newest first.'),
  met('lint', 'when:\n  - command: npm run lint', 'Warnings count as errors here. Do not switch a rule off to get through.'),
  met('failing', 'when:\n  - output: /\\d+ tests? failed/', 'Read the first failure to its end before you change anything.'),
  met('commit', 'must-know: true\nwhen:\n  - command: git commit', 'Subject: one imperative sentence of at most 72 characters.'),
  met('force', 'forbid: true\nwhen:\n  - command: git push --force', 'Use --force-with-lease on a branch of your own.'),
]

export function corpus(size: number): readonly CorpusFile[] {
  const others = Array.from({ length: Math.max(0, size - MET.length) }, (_, number) => other(number))
  return [...MET.slice(0, size), ...others]
}

export function writeCorpus(folder: string, size: number): void {
  const made = new Set<string>()
  for (const { path, text } of corpus(size)) {
    const file = join(folder, path)
    if (!made.has(dirname(file))) mkdirSync(dirname(file), { recursive: true })
    made.add(dirname(file))
    writeFileSync(file, text)
  }
}

function met(name: string, when: string, body: string): CorpusFile {
  return { path: `met/${name}.md`, text: `---\ntitle: ${name}\n${when}\n---\n${body}\n` }
}

const PROGRAMS = ['git', 'npm run', 'docker', 'kubectl', 'make', 'cargo', 'terraform', 'gh', 'pnpm', 'psql -c'] as const

function other(number: number): CorpusFile {
  const word = wordOf(number)
  const program = PROGRAMS[number % PROGRAMS.length] ?? 'git'
  const whens = [
    `command: ${program} ${word}`,
    `command: ["${program} ${word}", "./scripts/${word}.sh"]`,
    `path: ["src/${word}/**/*.ts", "docs/${word}.md"]\n    access: [read, write]`,
    `command: /${word}-(prod|staging)\\b/`,
    `prompt: [${word} service, the ${word} job]`,
    `output: "${word}: connection refused"`,
    `path: "**/${word}.{sql,prisma}"\n    access: write`,
    `command: ${program} ${word} --force`,
  ]
  const when = whens[number % whens.length] ?? ''
  const gate = number % 20 === 7 ? 'must-know: true\n' : ''
  const text = `---\ntitle: Rule of ${word}\n${gate}when:\n  - ${when}\n---\nWhen you work on ${word}, keep its contract: rule number ${number}.\n`
  return { path: `others/${Math.floor(number / FILES_A_FOLDER)}/${word}.md`, text }
}

const SYLLABLES = ['ba', 'do', 'fe', 'gu', 'ki', 'lo', 'ma', 'nu', 'po', 'ri', 'sa', 'te', 'vu', 'wo', 'xi', 'zu'] as const
/** Syllables of a word: 16 to the fifth are a million words. */
const SYLLABLES_A_WORD = 5

/** A word that no one uses. Another one for each number: the multiplier is odd, so it goes through all of them. */
function wordOf(number: number): string {
  let left = (number * 0x9e3b5) % SYLLABLES.length ** SYLLABLES_A_WORD
  let word = ''
  for (let part = 0; part < SYLLABLES_A_WORD; part += 1) {
    word += SYLLABLES[left % SYLLABLES.length] ?? ''
    left = Math.floor(left / SYLLABLES.length)
  }
  return word
}
