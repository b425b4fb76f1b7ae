/** Words that a key of the front matter takes, by the key's name. */
export const WORDS = {
  session: ['start', 'resume', 'compact', 'subagent'],
  access: ['read', 'write'],
  repeat: ['epoch', 'run', 'always'],
  carry: ['stop'],
  harnesses: ['claude-code', 'codex', 'grok', 'opencode'],
  harness: ['claude-code', 'codex', 'grok', 'opencode'],
} as const
