/** Which Grok Build the canary runs. */
import type { HarnessPackage } from '../install.ts'

/** The version that `src/harness/grok/profile.ts` claims. */
const PINNED_VERSION = '1.0.41'
/** The one of the older kind that was measured. */
export const OLDER_VERSION = '1.0.5'

/** The program is a native binary in an optional package a platform; the main package only holds a launcher. */
export function grokPackage(version: string = PINNED_VERSION): HarnessPackage {
  const platform = `@xai-official/grok-${process.platform}-${process.arch}`
  const program = process.platform === 'win32' ? 'grok.exe' : 'grok'
  return {
    name: 'grok',
    npmName: '@xai-official/grok',
    version,
    programs: [`${platform}/bin/${program}`],
    packed: { from: `${platform}/bin/${program}.br`, to: `${platform}/bin/${program}` },
  }
}
