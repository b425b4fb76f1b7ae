/** The flags by which a person describes a moment, for `contextmd try` and `contextmd new`. */
import { readFileSync } from 'node:fs'
import type { HarnessName } from '../core/id.ts'
import type { Moment } from '../core/moment.ts'
import type { Harness } from '../harness.ts'
import { HARNESSES } from '../harness/all.ts'
import { WORDS } from '../stores/entry-words.ts'
import type { ToldMoment } from '../stores/entry-tests.ts'
import { CommandError } from './command.ts'

export const TOLD_FLAGS = {
  session: { type: 'string' },
  prompt: { type: 'string' },
  command: { type: 'string' },
  path: { type: 'string' },
  write: { type: 'boolean' },
  tool: { type: 'string' },
  content: { type: 'string' },
  output: { type: 'string' },
  failed: { type: 'boolean' },
  agent: { type: 'string' },
} as const

export type ToldValues = {
  readonly [K in keyof typeof TOLD_FLAGS]?: ((typeof TOLD_FLAGS)[K]['type'] extends 'boolean' ? boolean : string) | undefined
}

export function toldFrom(values: ToldValues, harness: HarnessName): ToldMoment {
  const { session, write, failed, ...texts } = values
  const word = WORDS.session.find((known) => known === session)
  if (session !== undefined && word === undefined)
    throw new CommandError('usage', `--session takes ${WORDS.session.join(', ')}, not "${session}"`)
  return {
    harness,
    ...Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== undefined)),
    ...(word === undefined ? {} : { session: word }),
    ...(write === true ? { access: 'write' as const } : {}),
    ...(failed === true ? { failed } : {}),
  }
}

export function harnessNamed(name: string): Harness {
  const found = HARNESSES.find(({ profile }) => profile.name === name)
  if (found !== undefined) return found
  throw new CommandError('usage', `--harness takes ${HARNESSES.map(({ profile }) => profile.name).join(', ')}, not "${name}"`)
}

/** The moment of an event file: what a hook of the harness gets, as JSON. */
export function momentInFile(file: string, harness: Harness, at: number): Moment {
  let event: unknown
  try {
    event = JSON.parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw new CommandError('failed', `${file} can't be read as JSON: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
  const decoded = harness.decode(event, at)
  if (!decoded.ok) throw new CommandError('failed', `${file} is no event of ${harness.profile.title}: ${decoded.why}`)
  return decoded.moment
}
