/**
 * The shape of an entry's `tests`: moments that must match the entry, and moments that must not.
 *
 *     tests:
 *       - match: { command: git push --force }
 *       - no-match: { command: git push }
 *
 * A moment is described by what happens in it: one value a key, no patterns.
 */
import { z } from 'zod'
import { WORDS } from './entry-words.ts'

const text = z.union([z.string(), z.number()], { error: 'takes a text' })

function word<const T extends readonly [string, ...string[]]>(words: T) {
  return z.enum(words, { error: `takes one of ${words.join(', ')}` })
}

const moment = z.strictObject(
  {
    session: word(WORDS.session).optional().describe('A session starts, resumes, was compacted, or a subagent starts.'),
    prompt: text.optional().describe('What a person writes.'),
    command: text.optional().describe('A shell line that is about to run.'),
    path: text.optional().describe("A file that is about to be touched: from the project's root, absolute, or from ~."),
    access: word(WORDS.access).optional().describe('What is done with it. Default: read.'),
    tool: text.optional().describe("A tool by its canonical name, or by the harness's own."),
    content: text.optional().describe('Text about to be written.'),
    output: text.optional().describe('What a call gave back. The moment is then after the call.'),
    failed: z.boolean({ error: 'takes true or false' }).optional().describe('Whether the call failed. The moment is then after the call.'),
    harness: word(WORDS.harness).optional().describe('Default: one in which the entry is in force.'),
    project: text.optional().describe("The project's folder name or folder. Default: one in which the entry is in force."),
    agent: text.optional().describe("main, subagent, or a subagent's type. Default: one for which the entry is in force."),
  },
  { error: 'takes a mapping that describes a moment, as in {command: git push}' },
)

const test = z
  .strictObject(
    { match: moment.optional().describe('Must match.'), 'no-match': moment.optional().describe('Must not match.') },
    { error: 'takes `match` or `no-match` with a moment' },
  )
  .refine((one) => (one.match === undefined) !== (one['no-match'] === undefined), {
    error: 'takes one of `match` and `no-match`',
    // a misspelt key is told already
    when: ({ issues }) => issues.length === 0,
  })

export const testsSchema = z.array(test, { error: 'takes a list of tests, each with `match` or `no-match`' })

/** A moment as its author describes it. */
export type ToldMoment = z.infer<typeof moment>

export const TEST_KEYS = Object.keys(test.shape)
export const TOLD_KEYS = Object.keys(moment.shape)
