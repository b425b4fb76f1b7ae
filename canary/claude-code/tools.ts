/** Calls that the scripted model makes of Claude Code's tools. */
import { call } from '../kit/reply.ts'
import type { Block } from '../kit/reply.ts'

export function shell(command: string): Block {
  return call('Bash', { command, description: 'scripted' })
}

export function read(path: string): Block {
  return call('Read', { file_path: path })
}

export function write(path: string, content: string): Block {
  return call('Write', { file_path: path, content })
}

export function subagent(prompt: string, where: 'foreground' | 'background' = 'foreground'): Block {
  return call('Agent', { description: 'scripted', prompt, subagent_type: 'general-purpose', run_in_background: where === 'background' })
}
