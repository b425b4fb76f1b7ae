/** Calls that the scripted model makes of OpenCode's tools. */
import { call } from '../kit/reply.ts'
import type { Block } from '../kit/reply.ts'

export function shell(command: string): Block {
  return call('bash', { command, description: 'scripted' })
}

/** A call that leaves a trace on the disk, so that it can't run unseen. */
export function touch(name: string): Block {
  return shell(`touch ${name}`)
}

export function read(path: string): Block {
  return call('read', { filePath: path })
}

export function write(path: string, content: string): Block {
  return call('write', { filePath: path, content })
}

export function subagent(prompt: string): Block {
  return call('task', { description: 'scripted', prompt, subagent_type: 'general' })
}
