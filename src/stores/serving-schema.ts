/** The shape of serving.json: the one source of what is checked, of its messages, and of the JSON Schema that editors read. */
import { z } from 'zod'

const store = z.strictObject(
  {
    name: z
      .string({ error: 'takes a text' })
      .regex(/^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$/u, { error: 'takes a short name of letters, digits, dots, dashes and underscores' })
      .describe("First part of the ids of the store's entries."),
    folder: z
      .string({ error: 'takes a path' })
      .regex(/\S/, { error: 'takes a path' })
      .describe('Folder of entries: absolute, from ~, or relative to this file.'),
    enabled: z.boolean({ error: 'takes true or false' }).optional().describe('False switches the store off.'),
  },
  { error: 'takes a name and a folder' },
)

const host = z.strictObject(
  {
    kind: z.enum(['standalone', 't3code'], { error: 'takes standalone or t3code' }).describe('What knows threads and runs.'),
    base: z
      .string({ error: 'takes a path' })
      .regex(/\S/, { error: 'takes a path' })
      .optional()
      .describe('Base folder of T3 Code: absolute, or from ~. Default: T3CODE_HOME, ~/.t3.'),
    others: z
      .boolean({ error: 'takes true or false' })
      .optional()
      .describe('Inside T3 Code: true serves sessions that it never started, too. Beside it they are served always.'),
  },
  { error: 'takes a kind' },
)

const whole = (error: string) => z.int({ error }).min(1, { error })

const log = z.strictObject(
  {
    days: whole('takes a number of days')
      .max(3_650, { error: 'takes at most 3650 days' })
      .optional()
      .describe('Older moments go. Default: 30.'),
    rows: whole('takes a number of moments').optional().describe('At most so many moments stay. Default: 2000000.'),
    megabytes: whole('takes a number of megabytes')
      .optional()
      .describe('At most so much of the state file stays in use; its oldest moments go. Default: 2048.'),
  },
  { error: 'takes days, rows, megabytes' },
)

export const servingSchema = z.strictObject(
  {
    $schema: z.string({ error: 'takes a text' }).optional(),
    stores: z.array(store, { error: 'takes a list of stores' }).describe('Folders of entries. Of equal ids the first one wins.'),
    port: z
      .int({ error: 'takes a port number' })
      .min(1, { error: 'takes a port number' })
      .max(65_535, { error: 'takes a port number' })
      .optional()
      .describe('Port of the server on the loopback address.'),
    host: host.optional().describe('Default: T3 Code where one is found, and standalone for all other sessions.'),
    log: log.optional().describe('How much of the log is kept.'),
    ownFiles: z
      .boolean({ error: 'takes true or false' })
      .optional()
      .describe('False: an agent may change rules and settings of ContextMD without being held once. Default: true.'),
  },
  { error: 'must be an object: {"stores": [{"name": "mine", "folder": "rules"}]}' },
)

export type ServingShape = z.infer<typeof servingSchema>
export const SERVING_KEYS = Object.keys(servingSchema.shape)
export const STORE_KEYS = Object.keys(store.shape)
export const HOST_KEYS = Object.keys(host.shape)
export const LOG_KEYS = Object.keys(log.shape)
