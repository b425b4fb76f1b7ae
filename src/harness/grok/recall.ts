/** Reads a call back from Grok Build's `chat_history.jsonl`. It has no times, and of a result only the text that the model was given. */
import { createReadStream } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Json } from '../json.ts'
import { namesIn, newestFirst, type Recall, type RecalledCall, type RecallPlace } from '../recall.ts'
import { parseLine, type Line, type RecordedCall } from './records-line.ts'
import { folderIn } from './records.ts'

const HISTORY = 'chat_history.jsonl'

type Result = Extract<Line, { kind: 'result' }>

export const recall: Recall = { files: histories, call: recallCall }

/** A subagent is a session of its own. */
function histories({ env, home }: RecallPlace, session: string | null, agent: string | null): readonly string[] {
  const sessions = join(env['GROK_HOME'] || join(home, '.grok'), 'sessions')
  const wanted = agent ?? session
  return newestFirst(
    namesIn(sessions).flatMap((folder) =>
      (wanted === null ? namesIn(join(sessions, folder)) : [wanted]).map((name) => join(sessions, folder, name, HISTORY)),
    ),
  )
}

async function recallCall(file: string, wanted: string | null): Promise<RecalledCall | null> {
  let found: RecordedCall | null = null
  let result: Result | null = null
  for await (const text of createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Infinity })) {
    const line = parseLine(text)
    if (line?.kind === 'reply') {
      const made = wanted === null ? line.calls.at(-1) : line.calls.find(({ id }) => id === wanted)
      if (made !== undefined) [found, result] = [made, null]
    }
    if (line?.kind === 'result' && line.call === found?.id) result = line
  }
  return found === null ? null : recalled(file, found, result)
}

function recalled(file: string, { id, name, input }: RecordedCall, result: Result | null): RecalledCall {
  const isWrapped = name === 'use_tool' && typeof input['tool_name'] === 'string'
  const before: Json = {
    hookEventName: 'pre_tool_use',
    sessionId: basename(dirname(file)),
    cwd: folderIn(file) ?? '/',
    transcriptPath: join(dirname(file), 'updates.jsonl'),
    toolName: isWrapped ? input['tool_name'] : name,
    toolInput: input,
    toolUseId: id,
  }
  const wasDenied = result?.state === 'denied'
  const after = result?.state === 'ran' ? { ...before, hookEventName: 'post_tool_use', toolResult: resultOf(name, result.text) } : null
  return { call: id, file, before, after, wasDenied, at: null }
}

/** As far as the text tells how the call ended. */
function resultOf(tool: string, text: string): Json {
  const code = /^exit: (-?\d+)(?:\r?\n|$)/.exec(text)?.[1]
  if (tool === 'run_terminal_command' && code !== undefined) return { type: 'Bash', exit_code: Number(code), output_for_prompt: text }
  return { type: 'other', output: text }
}
