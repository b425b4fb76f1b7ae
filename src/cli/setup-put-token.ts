/** Hands a token to all hooks that are set up already, when they change from one server to another: not only those that setup is run for. */
import type { HarnessName } from '../core/id.ts'
import { tokenInHookFiles as tokenInPluginFiles, writeHookFiles as writePluginFiles } from '../harness/opencode/install-hooks.ts'
import { tokenInHookFiles, writeHookFiles } from '../install/hook-scripts.ts'
import type { Paths } from '../paths.ts'
import { setUpAddresses } from '../service/addresses.ts'
import { HARNESSES } from './setup-options.ts'

/**
 * In place of the tokens that are stale. Each file is replaced as a whole: hooks that run meanwhile read the old token or the new one.
 */
export function putToken(
  paths: Pick<Paths, 'hooks'>,
  isStale: (token: string) => boolean,
  tokenFor: (harness: HarnessName) => string,
): void {
  for (const harness of HARNESSES) {
    const isPlugin = harness === 'opencode'
    const shown = isPlugin ? tokenInPluginFiles(paths.hooks) : tokenInHookFiles(paths.hooks, harness)
    if (shown === null || !isStale(shown)) continue
    if (isPlugin) writePluginFiles(paths.hooks, tokenFor(harness))
    else writeHookFiles(paths.hooks, tokenFor(harness), harness)
  }
}

/** Harnesses whose settings hold port and token themselves: they must be set up anew. `but`: the one that is. */
export function fixedHarnesses(paths: Pick<Paths, 'data'>, but: HarnessName | null): readonly HarnessName[] {
  const fixed = setUpAddresses(paths).filter(({ isFixed, harness }) => isFixed && harness !== but)
  return [...new Set(fixed.map(({ harness }) => harness))]
}
