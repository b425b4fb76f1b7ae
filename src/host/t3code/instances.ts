/**
 * Provider instances of T3 Code that have a home of their own: their harness reads its hooks there and nowhere else.
 *
 * The form of `settings.json` is not settled between builds, so what is looked for is taken wherever it stands: instances by name or in a
 * list, and the older settings by driver.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HarnessName } from '../../core/id.ts'
import { objectIn } from './items.ts'
import { DRIVERS } from './tables.ts'

export interface InstanceHome {
  readonly harness: HarnessName
  /** The instance's name in the host's settings. */
  readonly instance: string
  /** As it is written there: absolute, or from `~`. */
  readonly home: string
}

/** The variable by which each harness is told of another home. OpenCode has none that moves its plugins. */
export const HOME_VARIABLES: Readonly<Partial<Record<HarnessName, string>>> = {
  'claude-code': 'CLAUDE_CONFIG_DIR',
  codex: 'CODEX_HOME',
  grok: 'GROK_HOME',
}

/** Of one state folder. Empty where there are no settings, or none that can be read. */
export function instanceHomes(folder: string): readonly InstanceHome[] {
  try {
    return homesIn(JSON.parse(readFileSync(join(folder, 'settings.json'), 'utf8')))
  } catch {
    return []
  }
}

export function homesIn(settings: unknown): readonly InstanceHome[] {
  const { providerInstances, providers } = objectIn(settings)
  const named = Array.isArray(providerInstances) ? providerInstances.entries() : Object.entries(objectIn(providerInstances))
  const instances = [...named].map(([name, one]) => {
    const instance = objectIn(one)
    return homeIn(String(instance['id'] ?? name), instance['driver'], instance)
  })
  const older = Object.entries(objectIn(providers)).map(([driver, one]) => homeIn(driver, driver, objectIn(one)))
  return [...instances, ...older].flatMap((home) => home ?? [])
}

function homeIn(instance: string, driver: unknown, settings: Readonly<Record<string, unknown>>): InstanceHome | null {
  const harness = harnessOf(driver)
  const variable = harness === null ? undefined : HOME_VARIABLES[harness]
  if (harness === null || variable === undefined || settings['enabled'] === false) return null
  const config = objectIn(settings['config'])
  // what stands in the environment is given to the harness as it is; of a shadow home the hooks are links into the shared one
  const home = variableIn(settings['environment'], variable) ?? textOf(config['homePath']) ?? textOf(settings['homePath'])
  return home === null ? null : { harness, instance, home }
}

function variableIn(environment: unknown, name: string): string | null {
  if (!Array.isArray(environment)) return null
  const found = environment.map((one) => objectIn(one)).find((one) => one['name'] === name)
  return textOf(found?.['value'])
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
}

function harnessOf(driver: unknown): HarnessName | null {
  // keys of the table
  const found = Object.entries(DRIVERS).find(([, word]) => word === driver)?.[0] as HarnessName | undefined
  return found ?? null
}
