/** The harnesses that are known. A new one is a folder beside this file and a line here. */
import { homedir } from 'node:os'
import type { Harness } from '../harness.ts'
import { readsIn } from '../match/reads.ts'
import { realPathOf } from '../real-path.ts'
import { claudeCodeHarness } from './claude-code/claude-code.ts'
import { codexHarness } from './codex/codex.ts'
import { recordedExitCode } from './codex/records-exit.ts'
import { grokHarness } from './grok/grok.ts'
import { opencodeHarness } from './opencode/opencode.ts'

export const HARNESSES: readonly Harness[] = [
  claudeCodeHarness({ readsIn: (command, cwd) => readsIn(command, cwd, { home: homedir() }), real: realPathOf }),
  codexHarness({
    readsIn: (command, cwd) => readsIn(command, cwd, { home: homedir() }),
    real: realPathOf,
    exitCodeOf: recordedExitCode,
  }),
  grokHarness({ readsIn: (command, cwd) => readsIn(command, cwd, { home: homedir() }), real: realPathOf }),
  opencodeHarness({ readsIn: (command, cwd) => readsIn(command, cwd, { home: homedir() }), real: realPathOf }),
]
