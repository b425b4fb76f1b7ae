/**
 * Puts our hooks and permission rules into the text of a settings file, and takes them out again. Pure: text in, text out.
 *
 * Other people's hooks, comments, order and format stay. A hook of ours that is already right stays too, wherever it was moved to.
 */
import { isDeepStrictEqual } from 'node:util'
import type { JsonArray, JsonObject, Node, ObjectProp } from 'jsonc-morph'
import { type Hook, isOurHook } from './hook.ts'
import { InstallError } from './install-error.ts'
import { editSettings, propertyOf, valueOf } from './settings-text.ts'

/** What setup put into a settings file besides the hooks: kept, so that removing takes away that and no more. */
export interface Written {
  /** Keys whose object or list was not there before, e.g. `hooks`, `hooks.Stop`, `permissions.allow`. */
  readonly created: readonly string[]
  /** Permission rules that were not there before. */
  readonly rules: readonly string[]
}

interface Wanted {
  readonly hooks: ReadonlyMap<string, Hook>
  readonly rules: readonly string[]
}

/** `before` is what an earlier setup of the same file wrote; null if there was none. Throws an `InstallError`. */
export function addOurs(
  text: string,
  file: string,
  wanted: Wanted,
  before: Written | null,
): { readonly text: string; readonly written: Written } {
  const created = new Set(before?.created)
  const rules = new Set(before?.rules)
  const edited = editSettings(text, (settings) => {
    const hooks = objectIn(settings, 'hooks', 'hooks', file, created)
    for (const [event, hook] of wanted.hooks) setHook(arrayIn(hooks, event, `hooks.${event}`, file, created), file, hook)
    dropHooks(settings, file, (event) => !wanted.hooks.has(event), created)
    dropRules(settings, file, new Set([...rules].filter((rule) => !wanted.rules.includes(rule))))
    if (wanted.rules.length === 0) return
    const permissions = objectIn(settings, 'permissions', 'permissions', file, created)
    const allow = arrayIn(permissions, 'allow', 'permissions.allow', file, created)
    const there = new Set(elements(allow).map((rule) => rule.asString()))
    for (const rule of wanted.rules) {
      if (there.has(rule)) continue
      allow.append(rule)
      rules.add(rule)
    }
  })
  return { text: edited, written: { created: [...created], rules: [...rules].filter((rule) => wanted.rules.includes(rule)) } }
}

/** Takes out all hooks of ours, the rules that we added, and what we created for them if nothing else has moved in. */
export function takeOurs(text: string, file: string, written: Written): string {
  return editSettings(text, (settings) => {
    const created = new Set(written.created)
    dropHooks(settings, file, () => true, created)
    removeIfBare(settings, 'hooks', file, created.has('hooks'))
    dropRules(settings, file, new Set(written.rules))
    const permissions = propertyOf(settings, 'permissions', file)?.valueIfObject()
    if (permissions) removeIfBare(permissions, 'allow', file, created.has('permissions.allow'))
    removeIfBare(settings, 'permissions', file, created.has('permissions'))
  })
}

function setHook(groups: JsonArray, file: string, wanted: Hook): void {
  const [first, ...others] = ourHooksIn(groups, file)
  for (const other of others) removeHook(other)
  if (first === undefined) groups.append({ hooks: [wanted] })
  else if (!isDeepStrictEqual(valueOf(first.hook.toString()), wanted)) replaceHook(first, wanted)
}

/** Inserted and removed, since the library's own replacing gets the indentation wrong. */
function replaceHook({ hook, list }: OurHook, wanted: Hook): void {
  list.insert(hook.elementIndex() ?? 0, wanted)
  hook.remove()
}

function dropHooks(settings: JsonObject, file: string, of: (event: string) => boolean, created: ReadonlySet<string>): void {
  const hooks: JsonObject | undefined = propertyOf(settings, 'hooks', file)?.valueIfObject()
  if (!hooks) return
  for (const property of properties(hooks)) {
    const event = property.decodedName() ?? ''
    const groups: JsonArray | undefined = property.valueIfArray()
    if (!groups || !of(event)) continue
    const ours = ourHooksIn(groups, file)
    for (const hook of ours) removeHook(hook)
    if (ours.length > 0) closeUp(groups)
    removeIfBare(hooks, event, file, created.has(`hooks.${event}`))
  }
}

function dropRules(settings: JsonObject, file: string, rules: ReadonlySet<string>): void {
  const permissions: JsonObject | undefined = propertyOf(settings, 'permissions', file)?.valueIfObject()
  const allow: JsonArray | undefined = permissions && propertyOf(permissions, 'allow', file)?.valueIfArray()
  if (!allow) return
  for (const rule of elements(allow)) if (rules.has(rule.asString() ?? '')) rule.remove()
}

interface OurHook {
  readonly hook: Node
  readonly group: Node
  readonly list: JsonArray
}

/** Passes over groups and hooks of a shape that the harness would not take either. */
function ourHooksIn(groups: JsonArray, file: string): readonly OurHook[] {
  return elements(groups).flatMap((group) => {
    const object: JsonObject | undefined = group.asObject()
    const list: JsonArray | undefined = object && propertyOf(object, 'hooks', file)?.valueIfArray()
    if (!list) return []
    return elements(list)
      .filter((hook) => isOurHook(valueOf(hook.toString())))
      .map((hook) => ({ hook, group, list }))
  })
}

function removeHook({ hook, group, list }: OurHook): void {
  hook.remove()
  if (list.elements().length === 0) group.remove()
}

/** A list that began on one line gets its bracket back there: the library leaves a line break where our element was. */
function closeUp(list: JsonArray): void {
  const inside: Node[] = list.children()
  const beginsBelow = inside
    .slice(1)
    .find((node) => !node.isWhitespace())
    ?.isNewline()
  if (beginsBelow) return
  for (const node of inside.slice(1, -1).toReversed()) {
    if (node.isNewline()) node.remove()
    else if (!node.isWhitespace()) return
  }
}

/** `path`: the name with all names above it. Notes in `created` what was not there. */
export function objectIn(parent: JsonObject, name: string, path: string, file: string, created: Set<string>): JsonObject {
  const property = propertyOf(parent, name, file) ?? append(parent, name, {}, path, created)
  const object: JsonObject | undefined = property.valueIfObject()
  if (!object)
    throw new InstallError('not_an_object', `${file}: "${path}" is not an object. Nothing was changed: mend it and run this again`)
  return object
}

function arrayIn(parent: JsonObject, name: string, path: string, file: string, created: Set<string>): JsonArray {
  const property = propertyOf(parent, name, file) ?? append(parent, name, [], path, created)
  const array: JsonArray | undefined = property.valueIfArray()
  if (!array) throw new InstallError('not_an_object', `${file}: "${path}" is not a list. Nothing was changed: mend it and run this again`)
  return array
}

function append(parent: JsonObject, name: string, value: object, path: string, created: Set<string>): ObjectProp {
  created.add(path)
  return parent.append(name, value)
}

/** A comment that someone has written there since keeps the key. */
export function removeIfBare(parent: JsonObject, name: string, file: string, isOurs: boolean): void {
  if (!isOurs) return
  const property = propertyOf(parent, name, file)
  const container: JsonObject | JsonArray | undefined = property?.valueIfObject() ?? property?.valueIfArray()
  if (!container) return
  const inside: Node[] = container.children()
  if (container.childrenExcludeTriviaAndTokens().length === 0 && !inside.some((node) => node.isComment())) property?.remove()
}

function elements(array: JsonArray): Node[] {
  return array.elements()
}

function properties(object: JsonObject): ObjectProp[] {
  return object.properties()
}
