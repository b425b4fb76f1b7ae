/** Codex as a harness: profile, decoder, renderer and records put together. */
import type { Harness } from '../../harness.ts'
import { HOOK_EVENT_NAMES } from '../event-names.ts'
import { decode } from './decode.ts'
import type { ExitCodeOf, Real } from './decode-tool.ts'
import { codex } from './profile.ts'
import { codexRecords } from './records.ts'
import type { ReadsIn } from './records-reads.ts'
import { render } from './render.ts'

interface CodexParts {
  /** Files that a shell command reads, when its success is theirs. */
  readonly readsIn: ReadsIn
  /** Resolves symlinks and `..`; without it a path counts as it was named. */
  readonly real?: Real
  /** Without it, no shell call is known to have failed. */
  readonly exitCodeOf?: ExitCodeOf
}

export function codexHarness({ readsIn, real = (path) => path, exitCodeOf = () => null }: CodexParts): Harness {
  return {
    profile: codex,
    eventNames: HOOK_EVENT_NAMES,
    decode: (event, at) => decode(event, at, { real, exitCodeOf }),
    render,
    records: codexRecords(readsIn),
  }
}
