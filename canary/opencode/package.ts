/** Which OpenCode the canary runs. */
import type { HarnessPackage } from '../install.ts'

/** The version that `src/harness/opencode/profile.ts` claims. */
const PINNED_VERSION = '1.18.33'

/** The package of the platform alone: the main one brings four builds for Linux, and a launcher that its install script writes. */
export function opencodePackage(version: string = PINNED_VERSION): HarnessPackage {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `opencode-${platform}-${process.arch}`
  return { name: 'opencode', npmName: name, version, programs: [`${name}/bin/opencode`, `${name}/bin/opencode.exe`] }
}
