/** Grok Build as a harness: profile, decoder, renderer and records put together. */
import type { Harness } from '../../harness.ts'
import type { ReadsIn } from '../claude-code/records-reads.ts'
import { HOOK_EVENT_NAMES } from '../event-names.ts'
import { decode, isOlder } from './decode.ts'
import type { Real } from './decode-tool.ts'
import { grok, olderGrok } from './profile.ts'
import { grokRecords } from './records.ts'
import { render } from './render.ts'

interface GrokParts {
  /** Files that a shell command reads, when its success is theirs. */
  readonly readsIn: ReadsIn
  /** Resolves symlinks and `..`; without it a path counts as it was named. */
  readonly real?: Real
}

export function grokHarness({ readsIn, real = (path) => path }: GrokParts): Harness {
  return {
    profile: grok,
    profileOf: (moment) => (isOlder(moment) ? olderGrok : grok),
    eventNames: HOOK_EVENT_NAMES,
    decode: (event, at) => decode(event, at, real),
    render,
    records: grokRecords(readsIn),
  }
}
