/** Claude Code as a harness: profile, decoder, renderer and records put together. */
import type { Harness } from '../../harness.ts'
import { HOOK_EVENT_NAMES } from '../event-names.ts'
import { decode } from './decode.ts'
import type { Real } from './decode-tool.ts'
import { claudeCode } from './profile.ts'
import { claudeRecords } from './records.ts'
import type { ReadsIn } from './records-reads.ts'
import { render } from './render.ts'

interface ClaudeCodeParts {
  /** Files that a shell command reads, when its success is theirs. */
  readonly readsIn: ReadsIn
  /** Resolves symlinks and `..`; without it a path counts as it was named. */
  readonly real?: Real
}

export function claudeCodeHarness({ readsIn, real = (path) => path }: ClaudeCodeParts): Harness {
  return {
    profile: claudeCode,
    eventNames: HOOK_EVENT_NAMES,
    decode: (event, at) => decode(event, at, real),
    render,
    records: claudeRecords(readsIn),
  }
}
