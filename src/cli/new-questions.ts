/** What a new entry is to say: as far as flags tell it, else by a few questions at the terminal. */
import type { DraftItem, Wish } from '../authors/draft.ts'
import { CommandError, type Io } from './command.ts'

export interface Given {
  readonly title?: string
  readonly text?: string
  readonly mustKnow?: boolean
  readonly forbid?: boolean
  readonly when: DraftItem
}

const KINDS = ['command', 'path', 'prompt', 'output', 'session'] as const
const ASKED: Readonly<Record<(typeof KINDS)[number], string>> = {
  command: 'Which command? (program and leading words, as in git push --force) ',
  path: "Which files? (a glob from the project's root, as in src/api/**) ",
  prompt: 'Which words in a prompt? ',
  output: 'Which words in a result? ',
  session: 'Which start? (start, resume, compact, subagent) ',
}

/** Throws a `CommandError` that names the flag where there is no terminal. */
export async function wishFrom(given: Given, io: Io): Promise<Wish> {
  const ask = async (question: string, flag: string): Promise<string> => {
    const answer = await io.ask?.(question)
    if (answer === undefined || answer === '') throw new CommandError('usage', `there is no answer for it: give ${flag}`)
    return answer
  }
  const title = given.title ?? (await ask('What is the rule about, in a few words? ', '--title'))
  const when = Object.keys(given.when).length > 0 ? given.when : await askWhen(ask)
  const isAsking = given.title === undefined || given.text === undefined || when !== given.when
  const isUnsaid = given.forbid === undefined && given.mustKnow === undefined
  const { forbid = false, mustKnow = false } = isAsking && isUnsaid && io.ask !== undefined ? await askWeight(when, io.ask) : given
  const text = given.text ?? (await ask('The rule itself, in a sentence or two: ', '--text'))
  return { title, text, forbid, mustKnow, when }
}

async function askWhen(ask: (question: string, flag: string) => Promise<string>): Promise<DraftItem> {
  const flag = '--command, --path, --prompt, --session or --output'
  const answer = await ask(`When does it apply: at a ${KINDS.join(', ')}? `, flag)
  const kind = KINDS.find((one) => one === answer.toLowerCase())
  if (kind === undefined) throw new CommandError('usage', `"${answer}" is none of ${KINDS.join(', ')}`)
  return { [kind]: [await ask(ASKED[kind], `--${kind}`)] }
}

/** Only what acts before a call can hold it. */
async function askWeight(when: DraftItem, ask: NonNullable<Io['ask']>): Promise<{ readonly forbid: boolean; readonly mustKnow: boolean }> {
  const isBeforeCall =
    (when.command ?? when.path ?? when.tool ?? when.content) !== undefined && when.output === undefined && when.failed === undefined
  if (!isBeforeCall) return { forbid: false, mustKnow: false }
  const answer = (
    await ask('Must the agent know it before the call (known), is the call forbidden (forbid), or is it good to know (neither)? ')
  ).toLowerCase()
  return { forbid: answer.startsWith('forbid'), mustKnow: answer.startsWith('know') }
}
