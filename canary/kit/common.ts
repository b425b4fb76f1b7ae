/**
 * The rows that every harness must pass, once for all of them.
 *
 * A harness that can't play one excuses it, by name, with a reason and a date, and brings a row of its own where there is another way.
 */
import type { Profile } from '../../src/core/profile.ts'
import type { Excused, Row, SeamName } from '../row.ts'
import { startedBySession } from './rows/autostart.ts'
import * as beside from './rows/beside.ts'
import { manualCompaction, onTop } from './rows/epoch.ts'
import * as fault from './rows/fault.ts'
import * as hold from './rows/hold.ts'
import * as person from './rows/person.ts'
import { ownPackAndGates, subagentsAtOnce } from './rows/subagent.ts'
import * as text from './rows/text.ts'
import * as wave from './rows/wave.ts'
import type { Stage } from './stage.ts'

/** Where a text gets in, or a call is stopped, in words that hold for all; `seamsOf` says which seams that is in one harness. */
export type Place = 'start' | 'prompt' | 'beside' | 'after' | 'deny' | 'subagent'

export function seamsOf({ seams, denyText }: Profile, places: readonly Place[]): readonly SeamName[] {
  const takes = (kind: 'session-start' | 'prompt' | 'before-tool' | 'subagent-start'): boolean => (seams[kind]?.inject ?? null) !== null
  const atCall = takes('before-tool') ? 'before-tool inject' : 'after-tool inject'
  const named: Readonly<Record<Place, readonly SeamName[]>> = {
    start: [takes('session-start') ? 'session-start inject' : atCall],
    prompt: [takes('prompt') ? 'prompt inject' : atCall],
    subagent: [takes('subagent-start') ? 'subagent-start inject' : atCall],
    beside: [atCall],
    after: ['after-tool inject'],
    deny: denyText === 'context' ? ['before-tool deny', 'before-tool inject'] : ['before-tool deny'],
  }
  return [...new Set(places.flatMap((place) => named[place]))]
}

interface CommonRow {
  readonly places: readonly Place[]
  readonly withoutProof?: true
  readonly run: (stage: Stage) => Promise<void>
}

const COMMON = {
  'pack at session start': { places: ['start'], run: (stage) => beside.packAtStart(stage) },
  'rule at a prompt': { places: ['prompt'], run: (stage) => beside.ruleAtPrompt(stage) },
  'rule beside a tool': { places: ['beside'], run: (stage) => beside.ruleBesideTool(stage) },
  'rule after a tool (output)': { places: ['after'], run: beside.ruleAfterOutput },
  'rule after a failure': { places: ['after'], run: beside.ruleAfterFailure },
  'M8: rule after a failure masked by a printed exit': { places: ['after'], run: beside.ruleAfterMaskedFailure },
  'M1: a mention and another command are let pass': { places: [], run: hold.mentioned },
  'G21: inline hold, allowed at the first retry': { places: ['deny'], run: async (stage) => void (await hold.inlineHold(stage)) },
  'pointer hold, read with the read tool, then allowed': { places: ['deny'], run: (stage) => hold.pointerReadByTool(stage) },
  'pointer hold, read in the shell, then allowed': { places: ['deny'], run: (stage) => hold.pointerReadInShell(stage) },
  'two gates on one call': { places: ['deny'], run: hold.twoGates },
  'forbid, and G16: the same call again and again': { places: ['deny'], run: hold.forbidden },
  'shown at a prompt, then the gated call goes on': { places: ['prompt'], run: hold.shownBefore },
  'G20: a parallel wave': { places: ['deny'], run: wave.parallelWave },
  'T6: a wave of eight reads': { places: ['deny'], run: wave.openAtOnce },
  'one call of a wave is held, its siblings run': { places: ['deny'], run: wave.siblings },
  'G19: a reading and a gated call in one reply': { places: ['deny'], run: wave.readingAndGated },
  'T8, X5: manual compaction, pack again and gate armed again': { places: ['deny'], run: (stage) => manualCompaction(stage) },
  'T7: resume, nothing is served twice': { places: [], run: (stage) => onTop(stage, 'resume') },
  'T7: fork, nothing is served twice': { places: [], run: (stage) => onTop(stage, 'fork') },
  'T9: a subagent has its own pack and gates': { places: ['subagent', 'deny'], run: ownPackAndGates },
  'T9: two subagents side by side': { places: ['deny'], run: subagentsAtOnce },
  'X1: over-long text is a pointer, never a preview': { places: ['beside'], run: text.overLongPlain },
  'G22: over-long hold, its file read, then allowed': { places: ['deny'], run: text.overLongHold },
  'X2: multi-byte text arrives whole': { places: ['beside'], run: (stage) => text.wholeBeside(stage, text.MULTI_BYTE) },
  'X2: text of surrogate pairs arrives whole': { places: ['beside'], run: (stage) => text.wholeBeside(stage, text.SURROGATES) },
  'X2: multi-byte text of a hold arrives whole': { places: ['deny'], run: (stage) => text.wholeHold(stage, text.MULTI_BYTE) },
  'X2: text of surrogate pairs of a hold arrives whole': { places: ['deny'], run: (stage) => text.wholeHold(stage, text.SURROGATES) },
  'an edit counts at the next call': { places: ['beside'], run: person.edited },
  'an edited must-know entry holds again': { places: ['deny'], run: person.editedHold },
  'contextmd lift frees a forbidden call': { places: [], run: person.lifted },
  'contextmd off and on': { places: [], run: person.switchedOffAndOn },
  'hooks in the project': { places: ['prompt', 'deny'], run: (stage) => person.projectScope(stage) },
  'the server is down': { places: [], run: fault.serverDown },
  // a reply that goes out to a hook that has given up reaches nobody, and no later moment tells
  'S8: the server is slow': { places: [], withoutProof: true, run: (stage) => fault.serverSlow(stage) },
  'S14: the server starts late': { places: ['prompt'], run: (stage) => fault.startedLate(stage) },
  'S14: no server runs: the session starts it, what follows is served': { places: ['deny'], run: (stage) => startedBySession(stage) },
  'switched off by CONTEXTMD_OFF': { places: [], run: fault.switchedOff },
} as const satisfies Readonly<Record<string, CommonRow>>

export type CommonName = keyof typeof COMMON

/** `since`: the day on which it was last looked whether the excuse still holds. */
export interface Excuse {
  readonly since: string
  readonly why: string
}

/** Some of them, for a version that can do less. */
export function namedRows(profile: Profile, names: readonly CommonName[]): readonly Row<Stage>[] {
  return names.map((name) => rowOf(profile, name))
}

/** Rows for all, with the excuses of one harness, and with its own way where a row needs a word of its own. */
export function commonRows(
  profile: Profile,
  excuses: Readonly<Partial<Record<CommonName, Excuse>>> = {},
  own: Readonly<Partial<Record<CommonName, (stage: Stage) => Promise<void>>>> = {},
): readonly (Row<Stage> | Excused)[] {
  // The keys of the table are the names: that is their type.
  const names = Object.keys(COMMON) as CommonName[]
  return names.map((name) => {
    const excuse = excuses[name]
    if (excuse !== undefined) return { name, excuse }
    const row = rowOf(profile, name)
    return { ...row, run: own[name] ?? row.run }
  })
}

function rowOf(profile: Profile, name: CommonName): Row<Stage> {
  const { places, run, withoutProof }: CommonRow = COMMON[name]
  return { name, seams: seamsOf(profile, places), run, ...(withoutProof === true && { withoutProof }) }
}
