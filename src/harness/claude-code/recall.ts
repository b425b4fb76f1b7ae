/**
 * Reads a call back from Claude Code's session files: as the events that its hooks posted, made anew from what the file holds.
 *
 * For a person who asks why a rule spoke or did not; nothing is kept. A file of any size is read once, line by line.
 */
import { createReadStream, existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { createInterface } from 'node:readline'
import { listIn, objectIn, textIn, type Json } from '../json.ts'
import { namesIn, newestFirst, type Recall, type RecalledCall } from '../recall.ts'
import { parseLine } from './records-line.ts'

export const recall: Recall = {
  files: ({ env, home }, session, agent) => sessionFiles(env['CLAUDE_CONFIG_DIR'] || join(home, '.claude'), session, agent),
  call: recallCall,
}

/** The call of this id, or the last one of the file; null if there is none. Throws what the file system throws. */
async function recallCall(file: string, wanted: string | null): Promise<RecalledCall | null> {
  let found: { readonly call: string; readonly line: Json } | null = null
  let result: Json | null = null
  for await (const text of createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Infinity })) {
    // most lines are of no interest: they are not parsed
    if (!text.includes('"tool_use"') && !text.includes('"tool_result"')) continue
    if (wanted !== null && !text.includes(wanted)) continue
    const line = parseLine(text)
    if (line?.kind === 'reply') {
      const call = wanted === null ? line.calls.at(-1)?.id : line.calls.find(({ id }) => id === wanted)?.id
      if (call !== undefined) [found, result] = [{ call, line: objectIn(JSON.parse(text)) }, null]
    }
    if (line?.kind === 'user' && found !== null && line.results.some(({ call }) => call === found?.call))
      result = objectIn(JSON.parse(text))
  }
  return found === null ? null : recalled(file, found, result)
}

function sessionFiles(configFolder: string, session: string | null, agent: string | null): readonly string[] {
  const projects = join(configFolder, 'projects')
  return newestFirst(
    namesIn(projects).flatMap((slug): string[] => {
      const folder = join(projects, slug)
      if (session === null) return namesIn(folder).flatMap((name) => (name.endsWith('.jsonl') ? [join(folder, name)] : []))
      return [agent === null ? join(folder, `${session}.jsonl`) : join(folder, session, 'subagents', `agent-${agent}.jsonl`)]
    }),
  )
}

function recalled(file: string, { call, line }: { readonly call: string; readonly line: Json }, result: Json | null): RecalledCall {
  const block =
    listIn(objectIn(line['message'])['content'])
      .map(objectIn)
      .find(({ id }) => id === call) ?? {}
  const agent = textIn(line['agentId'])
  const before: Json = {
    hook_event_name: 'PreToolUse',
    session_id: line['sessionId'],
    transcript_path: agent === null ? file : parentFile(file),
    cwd: line['cwd'],
    tool_name: block['name'],
    tool_input: block['input'],
    tool_use_id: call,
    ...(agent === null ? {} : { agent_id: agent, ...agentTypeBeside(file) }),
  }
  const at = Date.parse(textIn(line['timestamp']) ?? '')
  const after = result === null ? null : afterEvent(before, call, result)
  return { call, file, before, after, wasDenied: result !== null && after === null, at: Number.isNaN(at) ? null : at }
}

/** Null for a denied call: it never ran. */
function afterEvent(before: Json, call: string, result: Json): Json | null {
  const line = parseLine(JSON.stringify(result))
  const own = line?.kind === 'user' ? line.results.find((one) => one.call === call) : undefined
  if (own === undefined || own.state === 'denied') return null
  if (own.state === 'failed') return { ...before, hook_event_name: 'PostToolUseFailure', error: own.text }
  return { ...before, hook_event_name: 'PostToolUse', tool_response: result['toolUseResult'] ?? own.text }
}

/** A subagent's file lies in a folder that is named like the session's own file. */
function parentFile(file: string): string {
  return file.includes(`${sep}subagents${sep}`) ? `${dirname(dirname(file))}.jsonl` : file
}

function agentTypeBeside(file: string): Json {
  const meta = join(dirname(file), `${basename(file, '.jsonl')}.meta.json`)
  if (!existsSync(meta)) return {}
  try {
    const type = textIn(objectIn(JSON.parse(readFileSync(meta, 'utf8')))['agentType'])
    return type === null ? {} : { agent_type: type }
  } catch {
    // half written, or not ours to read: then the type is not known
    return {}
  }
}
