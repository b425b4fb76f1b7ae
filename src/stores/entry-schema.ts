/**
 * The shape of an entry's front matter: the one source of what is checked, of its messages, and of the JSON Schema that editors read.
 *
 * It describes what authors write, friendly forms included (one value where a list is meant, comma lists). `entry-fields.ts` turns
 * that into the fields of an entry.
 */
import { z } from 'zod'
import { testsSchema } from './entry-tests.ts'
import { WORDS } from './entry-words.ts'

const TEXTS_ERROR = 'takes a text or a list of texts'
const text = z.union([z.string().regex(/\S/, { error: 'takes a text that is not blank' }), z.number()], { error: 'takes a text' })
const texts = z.union([text, z.array(text).min(1, { error: TEXTS_ERROR })], { error: TEXTS_ERROR })
const flag = z.boolean({ error: 'takes true or false' })

function word<const T extends readonly [string, ...string[]]>(words: T) {
  return z.enum(words, { error: `takes ${alternatives(words)}` })
}

/** One word, several with commas between, or a list. */
function words<const T extends readonly [string, ...string[]]>(known: T) {
  const one = `(?:${known.join('|')})`
  const error = `takes ${alternatives(known)}, one or several`
  const list = z.string().regex(new RegExp(`^\\s*${one}(?:\\s*,\\s*${one})*\\s*$`), { error })
  return z.union([list, z.array(z.enum(known, { error })).min(1, { error })], { error })
}

const conditions = {
  session: words(WORDS.session).optional().describe('When a session starts, resumes, was compacted, or a subagent starts.'),
  prompt: texts.optional().describe("Words, phrases or /regex/ in a person's prompt."),
  command: texts.optional().describe('Program and leading words, flags that must be there, or /regex/, on each command of a shell line.'),
  path: texts.optional().describe("Globs from the project's root, or absolute. A leading ! takes away."),
  access: words(WORDS.access).optional().describe('Restricts `path` to reading or writing.'),
  tool: texts
    .optional()
    .describe("Canonical tool names (shell, read, edit, write, search, fetch, task, mcp:server/tool) or the harness's own."),
  content: texts.optional().describe('Words, phrases or /regex/ in text about to be written.'),
  output: texts.optional().describe("Words, phrases or /regex/ in the call's result."),
  failed: flag.optional().describe('The call failed (true) or went well (false).'),
}

const ITEM_ERROR = 'takes a mapping of conditions, or a list of them'
const exception = z.strictObject(conditions, { error: ITEM_ERROR })
const item = z.strictObject(
  {
    ...conditions,
    not: z
      .union([exception, z.array(exception).min(1, { error: ITEM_ERROR })], { error: ITEM_ERROR })
      .optional()
      .describe('Conditions under which the item does not match.'),
  },
  { error: ITEM_ERROR },
)
const items = z.union([item, z.array(item).min(1, { error: ITEM_ERROR })], { error: ITEM_ERROR })

const scope = z.strictObject(
  {
    projects: texts.optional().describe('Folder names, folders, globs over them, or git remotes.'),
    harnesses: words(WORDS.harnesses).optional().describe('Harnesses in which the entry is served.'),
    agents: texts.optional().describe("main, subagent, or a subagent's type."),
  },
  { error: 'takes a mapping of projects, harnesses and agents' },
)

export const entrySchema = z.strictObject(
  {
    id: z
      .string({ error: 'takes a text' })
      .regex(/^[^\s\p{Cc}]{1,200}$/u, { error: 'takes a text without spaces, at most 200 characters' })
      .optional()
      .describe('Unique name. Default: store name and path without .md.'),
    title: text.optional().describe('What the rule is about, in a few words.'),
    when: items.describe('When the rule applies: any item may match; within an item all conditions must.'),
    'must-know': flag.optional().describe('The call is held until the agent has the text of the rule.'),
    forbid: flag.optional().describe('The call is denied, always.'),
    read: texts.optional().describe('Files to read instead of the body: relative to the entry or to the project.'),
    scope: scope.optional().describe('Where the rule applies. Default: everywhere.'),
    repeat: word(WORDS.repeat).optional().describe('How often it is served. Default: once an epoch.'),
    priority: z.int({ error: 'takes a whole number' }).optional().describe('Higher goes first. Default: 0.'),
    expires: z
      .string({ error: 'takes a date: 2027-01-31' })
      .regex(/^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2})?)?$/, { error: 'takes a date: 2027-01-31' })
      .optional()
      .describe('Last day on which the rule is served.'),
    enabled: flag.optional().describe('False switches the entry off.'),
    carry: word(WORDS.carry).optional().describe('May cost one more model round at the stop, once a run.'),
    holdout: flag.optional().describe('The entry takes part in the measurement of its effect.'),
    tests: testsSchema.optional().describe('Moments that must match, and that must not: run by `contextmd test` and `contextmd lint`.'),
    'obeyed-when': items.optional().describe('What shows that the rule was kept.'),
    'violated-when': items.optional().describe('What shows that the rule was broken.'),
  },
  { error: 'must hold `key: value` lines' },
)

export type EntryShape = z.infer<typeof entrySchema>
export type ItemShape = z.infer<typeof item>

export const ENTRY_KEYS = Object.keys(entrySchema.shape)
export const ITEM_KEYS = Object.keys(item.shape)
export const SCOPE_KEYS = Object.keys(scope.shape)

function alternatives(words: readonly string[]): string {
  return words.length === 1 ? String(words[0]) : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}
