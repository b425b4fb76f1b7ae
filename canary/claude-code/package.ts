/** Which Claude Code the canary runs. */
import type { HarnessPackage } from '../install.ts'

/** The version that `src/harness/claude-code/profile.ts` claims. Its newest versions need a pinned, exact version: it ships several times a week. */
const PINNED_VERSION = '2.1.332'

/** The program is a native binary in an optional package a platform; the main package only holds a launcher. */
export function claudeCodePackage(version: string = PINNED_VERSION): HarnessPackage {
  const platform = `@anthropic-ai/claude-code-${process.platform}-${process.arch}`
  const program = process.platform === 'win32' ? 'claude.exe' : 'claude'
  return {
    name: 'claude-code',
    npmName: '@anthropic-ai/claude-code',
    version,
    programs: [`${platform}/${program}`, `${platform}-musl/${program}`],
  }
}
