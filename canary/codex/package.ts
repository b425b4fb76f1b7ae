/** Which Codex the canary runs. */
import type { HarnessPackage } from '../install.ts'

/** The version that `src/harness/codex/profile.ts` claims. */
const PINNED_VERSION = '0.171.0'

/** How the vendor names the platforms inside the package. */
const TRIPLES: Readonly<Record<string, string>> = {
  'linux-x64': 'x86_64-unknown-linux-musl',
  'linux-arm64': 'aarch64-unknown-linux-musl',
  'darwin-x64': 'x86_64-apple-darwin',
  'darwin-arm64': 'aarch64-apple-darwin',
}

/** The program is a native binary in an optional package a platform; the main package only holds a launcher. */
export function codexPackage(version: string = PINNED_VERSION): HarnessPackage {
  const platform = `${process.platform}-${process.arch}`
  return {
    name: 'codex',
    npmName: '@openai/codex',
    version,
    programs: [`@openai/codex-${platform}/vendor/${TRIPLES[platform] ?? platform}/bin/codex`],
  }
}
