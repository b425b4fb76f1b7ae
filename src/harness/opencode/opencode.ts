/** OpenCode as a harness: profile, decoder, renderer and records put together. */
import type { Harness } from '../../harness.ts'
import type { ReadsIn } from '../claude-code/records-reads.ts'
import { decode } from './decode.ts'
import type { Real } from './decode-tool.ts'
import { opencode } from './profile.ts'
import { opencodeRecords } from './records.ts'
import { render } from './render.ts'

const EVENT_NAMES = {
  'session-start': 'contextmd.session-start',
  'subagent-start': 'contextmd.session-start',
  prompt: 'chat.message',
  'before-tool': 'tool.execute.before',
  'after-tool': 'tool.execute.after',
} as const

interface OpenCodeParts {
  /** Files that a shell command reads, when its success is theirs. */
  readonly readsIn: ReadsIn
  /** Resolves symlinks and `..`; without it a path counts as it was named. */
  readonly real?: Real
}

export function opencodeHarness({ readsIn, real = (path) => path }: OpenCodeParts): Harness {
  return {
    profile: opencode,
    eventNames: EVENT_NAMES,
    decode: (event, at) => decode(event, at, real),
    render,
    records: opencodeRecords(readsIn),
  }
}
