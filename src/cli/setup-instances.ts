/** Setting up, and taking back, the homes of a host's provider instances together with the person's own. */
import { isAbsolute, join, resolve } from 'node:path'
import type { HarnessName } from '../core/id.ts'
import { hostSettingIn } from '../engine/host-setting.ts'
import { hostBases, stateFolders } from '../host/t3code/discover.ts'
import { HOME_VARIABLES, instanceHomes } from '../host/t3code/instances.ts'
import { homeFrom, pathsFrom } from '../paths.ts'
import type { Io } from './command.ts'
import type { HarnessSetup } from './setup-harness.ts'

/** The same setup, for the person's own settings and those of each instance. */
export function withInstances(harness: HarnessName, setup: HarnessSetup): HarnessSetup {
  return {
    ...setup,
    async setUp(options, io, folder) {
      let code = await setup.setUp(options, io, folder)
      if (options.scope !== 'user') return code
      for (const own of instancesOf(harness, io)) code = Math.max(code, await setup.setUp({ ...options, isOneOfMany: true }, own, folder))
      return code
    },
    async remove(options, io, folder) {
      let code = await setup.remove(options, io, folder)
      if (options.scope !== 'user') return code
      for (const own of instancesOf(harness, io)) code = Math.max(code, await setup.remove(options, own, folder))
      return code
    },
  }
}

/** One for each home that is not the person's own, named on the way. */
export function* instancesOf(harness: HarnessName, io: Io): Generator<Io> {
  const variable = HOME_VARIABLES[harness]
  const home = homeFrom(io.env)
  const setting = hostSettingIn(pathsFrom(io.env), io.env, () => Date.now())()
  if (variable === undefined || setting.kind === 'standalone') return
  const done = new Set([resolve(io.env[variable] || join(home, USUAL[harness] ?? ''))])
  for (const folder of stateFolders(hostBases(setting.base, io.env, home))) {
    for (const instance of instanceHomes(folder)) {
      const own = expand(instance.home, home)
      if (instance.harness !== harness || done.has(own)) continue
      done.add(own)
      io.stdout.write(`── instance ${instance.instance} of T3 Code: settings in ${own}\n`)
      yield { ...io, env: { ...io.env, [variable]: own } }
    }
  }
}

const USUAL: Readonly<Partial<Record<HarnessName, string>>> = { 'claude-code': '.claude', codex: '.codex', grok: '.grok' }

function expand(path: string, home: string): string {
  if (path === '~') return home
  if (path.startsWith('~/')) return join(home, path.slice(2))
  return isAbsolute(path) ? resolve(path) : resolve(home, path)
}
