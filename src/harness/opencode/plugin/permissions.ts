/**
 * Lets the agent read the files that a held call names: the program asks before it reads outside of the project.
 *
 * Only the settings in memory are changed, and only where the person left it to the program or wants to be asked: what they forbid stays
 * forbidden. Of several patterns that fit, the last one counts.
 */
import type { Config } from './api.ts'

const KEY = 'external_directory'

export function allowReading(config: Config, folders: readonly string[]): void {
  const ours = Object.fromEntries(folders.flatMap((folder) => [`${folder}/*`, `${folder}/**`]).map((pattern) => [pattern, 'allow']))
  const { permission } = config
  if (permission === 'allow' || permission === 'deny') return
  const all: Record<string, unknown> = isObject(permission) ? permission : permission === undefined ? {} : { '*': permission }
  const before = all[KEY] ?? all['*']
  if (before === 'deny' || before === 'allow') return
  const kept: Record<string, unknown> = isObject(before) ? before : before === undefined ? {} : { '*': before }
  if (kept['*'] === 'deny') return
  const { [KEY]: _, ...others } = all
  config.permission = { ...others, [KEY]: { ...kept, ...ours } }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
