/**
 * What matching alone is measured on: entries as the stores parse them, moments as the harness decodes them. No file is asked for: where
 * links lead is found out by others.
 */
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Entry } from '../src/core/entry.ts'
import { HARNESSES } from '../src/harness/all.ts'
import type { Project, Subject } from '../src/match/match.ts'
import { parseEntry } from '../src/stores/parse-entry.ts'
import { corpus } from './corpus.ts'
import { commandOf, outputOf } from './session.ts'

const FOLDER = join(homedir(), 'bench-rules')
const CWD = join(homedir(), 'bench-project')
const PROJECT: Project = { root: CWD, roots: [CWD], remotes: [] }
/** More than the matcher remembers, so that each line is parsed each time: an agent's next command is mostly a new one. */
const VARIANTS = 200

export function entriesOf(size: number): readonly Entry[] {
  return corpus(size).flatMap(({ path, text }) => {
    const { entry } = parseEntry(join(FOLDER, path), Buffer.from(text), { name: 'rules', folder: FOLDER }, { home: homedir() })
    return entry === null ? [] : [entry]
  })
}

export interface Input {
  readonly name: string
  readonly subjects: readonly Subject[]
  /** The commands themselves, for those who match commands only; null where the moment is about something else. */
  readonly commands: readonly string[] | null
}

export function inputs(): readonly Input[] {
  const commands = Array.from({ length: VARIANTS }, (_, variant) => commandOf(variant))
  return [
    { name: '300-byte command', subjects: commands.map((command) => subjectOf('PreToolUse', command, {})), commands },
    {
      name: '20 KB of output',
      subjects: commands.map((_, variant) => {
        const stdout = `${outputOf(20_000)}\n${variant + 1} tests failed\n`
        return subjectOf('PostToolUse', `npm test -- part-${variant}`, { tool_response: { stdout, stderr: '', interrupted: false } })
      }),
      commands: null,
    },
  ]
}

function subjectOf(event: string, command: string, more: object): Subject {
  const [harness] = HARNESSES
  const decoded = harness?.decode(
    {
      hook_event_name: event,
      session_id: 'bench',
      transcript_path: join(homedir(), '.claude', 'projects', 'bench', 'bench.jsonl'),
      cwd: CWD,
      tool_name: 'Bash',
      tool_input: { command },
      tool_use_id: 'toolu_bench',
      ...more,
    },
    0,
  )
  if (!decoded?.ok) throw new Error('The harness does not know its own event.')
  return { moment: decoded.moment, project: PROJECT, sessionTriggers: [], home: homedir(), real: (path) => path, at: 0 }
}
