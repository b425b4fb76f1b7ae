/** Calls that the scripted model makes of Grok Build's tools. */
import { call } from '../kit/reply.ts'
import type { Block } from '../kit/reply.ts'

export function shell(command: string): Block {
  return call('run_terminal_command', { command, description: 'scripted' })
}

/** A call that leaves a trace on the disk, so that it can't run unseen. */
export function touch(name: string): Block {
  return shell(`touch ${name}`)
}

/** A command that goes on in the background. */
export function background(command: string): Block {
  return call('run_terminal_command', { command, description: 'scripted', background: true })
}

export function read(path: string): Block {
  return call('read_file', { target_file: path })
}

export function subagent(prompt: string): Block {
  return call('spawn_subagent', { description: 'scripted', prompt, subagent_type: 'general-purpose', background: false })
}
