/**
 * `POST /contextmd/mcp?harness=NAME`: for agents that search entries and read one, when they want to.
 *
 * A read counts as a read of the entry's file once the harness's own records show that its text came back and was answered (law 12).
 * Nothing of what an agent asks is kept.
 */
import { isAbsolute } from 'node:path'
import { fullText } from '../../core/compose.ts'
import type { Entry } from '../../core/entry.ts'
import { clipToBytes } from '../../core/text.ts'
import type { Engine } from '../../engine/engine.ts'
import { objectIn, textIn } from '../../harness/json.ts'
import { entryHead, READ_ENTRY } from '../../match/entry-read.ts'
import { nearest } from '../../stores/nearest.ts'
import { harnessIn } from '../harness-name.ts'
import type { McpService, Tool, ToolAnswer, ToolCall } from './route.ts'
import { searchEntries } from './search-entries.ts'

export const MCP_PATH = '/contextmd/mcp'

const SEARCH_ENTRIES = 'search_entries'

/** A question is a few words. */
const MAX_CALL_BYTES = 64 * 1024
/** Harnesses cut longer results, some of them at 10,000 tokens; the rest is in the file that is named. */
const MAX_TEXT_BYTES = 30_000

const FOLDER = {
  type: 'string',
  description: 'Absolute path of the folder you work in. Without it, rules that are kept for certain projects are left out.',
}

const TOOLS: readonly Tool[] = [
  {
    name: SEARCH_ENTRIES,
    title: 'Search the rules',
    description:
      'Finds rules that the people of this project keep for its agents, by words of their title and text. Read one with read_entry.',
    inputSchema: {
      type: 'object',
      properties: { query: { type: 'string', description: 'A few words. Empty: all rules.' }, folder: FOLDER },
      required: ['query'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true },
  },
  {
    name: READ_ENTRY,
    title: 'Read a rule',
    description: 'Gives the whole text of one rule, by the id that search_entries or a held call names.',
    inputSchema: {
      type: 'object',
      properties: { id: { type: 'string', description: 'For example rules/commit-messages.' }, folder: FOLDER },
      required: ['id'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true },
  },
]

export function entryService(engine: Engine): McpService {
  return {
    instructions:
      'Rules that the people of this project keep for its agents. Search them before work that you are not sure about, and read what fits.',
    maxBytes: MAX_CALL_BYTES,
    tools: () => TOOLS,
    async call(call) {
      switch (call.name) {
        case SEARCH_ENTRIES: {
          const query = call.input['query']
          if (typeof query !== 'string') return wrong('query is missing: a few words.')
          return { text: await searchEntries(readableFor(engine, call), query) }
        }
        case READ_ENTRY: {
          const wanted = textIn(call.input['id'])
          return wanted === null ? wrong('id is missing: as search_entries gives it.') : readEntry(readableFor(engine, call), wanted)
        }
        default:
          return null
      }
    },
  }
}

function readableFor(engine: Engine, call: ToolCall): readonly Entry[] {
  return engine.readable({ harness: harnessIn(call.request), folder: folderOf(call) })
}

/** The folder that the agent names, else the one folder that its program names beside the call (Codex). */
function folderOf({ input, meta }: ToolCall): string | null {
  const named = textIn(input['folder'])
  if (named !== null) return isAbsolute(named) ? named : null
  const workspaces = Object.keys(objectIn(objectIn(meta['x-codex-turn-metadata'])['workspaces']))
  const [only, ...more] = workspaces
  return only !== undefined && more.length === 0 && isAbsolute(only) ? only : null
}

function readEntry(entries: readonly Entry[], wanted: string): ToolAnswer {
  const entry = entries.find(({ id }) => id === wanted)
  if (entry === undefined) {
    const meant = nearest(
      wanted,
      entries.map(({ id }) => id),
    )
    return wrong(`There is no such rule${meant === null ? '' : `: did you mean ${meant}?`} Find its id with ${SEARCH_ENTRIES}.`)
  }
  const text = clipToBytes(fullText(entry), MAX_TEXT_BYTES)
  return { text: `${entryHead(entry.id, entry.title, entry.file)}\n\n${text}` }
}

function wrong(text: string): ToolAnswer {
  return { text, isError: true }
}
