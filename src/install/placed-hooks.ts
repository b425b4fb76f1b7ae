/** The hooks of a settings file with the events that they stand under. */
import { isOurHook, isRecord } from './hook.ts'
import type { SettingsValue } from './settings-text.ts'

export interface PlacedHook {
  readonly event: string
  /** As it stands there, in a shape that is not checked further. */
  readonly hook: Readonly<Record<string, unknown>>
}

/** Ours and others', in the order of the file. What the harness would not take either is passed over. */
export function placedHooks(value: SettingsValue): readonly PlacedHook[] {
  const hooks = value['hooks']
  if (!isRecord(hooks)) return []
  return Object.entries(hooks).flatMap(([event, groups]) => {
    const lists: readonly unknown[] = Array.isArray(groups) ? groups : []
    return lists
      .flatMap((group): readonly unknown[] => (isRecord(group) && Array.isArray(group['hooks']) ? group['hooks'] : []))
      .filter((hook) => isRecord(hook))
      .map((hook) => ({ event, hook }))
  })
}

export function ourHooks(value: SettingsValue): readonly PlacedHook[] {
  return placedHooks(value).filter(({ hook }) => isOurHook(hook))
}
