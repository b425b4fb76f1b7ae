/** Names of events, for moments that a person describes and no hook has posted. */
import type { MomentKind } from '../core/moment.ts'

export type EventNames = Readonly<Partial<Record<MomentKind, string>>>

/** The names that Claude Code gave them, and that Codex and Grok Build took over. */
export const HOOK_EVENT_NAMES: EventNames = {
  'session-start': 'SessionStart',
  'subagent-start': 'SubagentStart',
  prompt: 'UserPromptSubmit',
  'before-tool': 'PreToolUse',
  'after-tool': 'PostToolUse',
}
