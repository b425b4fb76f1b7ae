/** What a moment is called in the timeline. The log does not know: it keeps no prompt and no command (law 16). */
import { objectIn, textIn, type Json } from '../harness/json.ts'

/**
 * A step that the person or the agent made is worth a line even when nothing was served at it; the rest (`isAct` false) only when
 * something was. `root`: the folder that stands for the home folder.
 */
export interface MomentTitle {
  readonly text: string
  readonly isAct: boolean
}

export function momentTitle(event: Json, root: string): MomentTitle {
  const name = textIn(event['hook_event_name']) ?? ''
  switch (name) {
    case 'SessionStart':
      return act(event['source'] === 'compact' ? 'the session was compacted' : 'the session starts')
    case 'UserPromptSubmit':
      return act(`person: ${textIn(event['prompt']) ?? ''}`)
    case 'PreToolUse':
      return act(callIn(event, root))
    case 'PostToolUse':
      return { text: `done: ${callIn(event, root)}`, isAct: false }
    case 'PostToolUseFailure':
      return { text: `failed: ${callIn(event, root)}`, isAct: false }
    case 'Stop':
      return act('the agent stops')
    default:
      return { text: name, isAct: false }
  }
}

function act(text: string): MomentTitle {
  return { text, isAct: true }
}

function callIn(event: Json, root: string): string {
  const tool = textIn(event['tool_name']) ?? ''
  const input = objectIn(event['tool_input'])
  const command = textIn(input['command'])
  if (command !== null) return `$ ${command}`
  const path = textIn(input['file_path'])
  return path === null ? tool : `${tool} ${shortPath(path, root)}`
}

/** As seen from the project, or from the home folder. */
function shortPath(path: string, root: string): string {
  for (const folder of [`${root}/project/`, `${root}/`]) if (path.startsWith(folder)) return path.slice(folder.length)
  return path
}
