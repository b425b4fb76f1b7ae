/**
 * A settings file as text: read into a value, with the line of the first mistake, and opened for edits that keep everything else.
 *
 * Comments and trailing commas are kept where people wrote them, although Claude Code 2.1.332 takes none: it ignores the whole file
 * then, without a word in a headless session (measured on the real program). `looseLine` finds the place.
 */
import { type JsonObject, type ObjectProp, parse, type RootNode } from 'jsonc-morph'
import { isRecord } from './hook.ts'
import { InstallError } from './install-error.ts'

export type SettingsValue = Readonly<Record<string, unknown>>

const BOM = '\uFEFF'
const STRINGS_AND_COMMENTS = /"(?:\\.|[^"\\\n])*"|\/\/[^\n]*|\/\*[^]*?\*\//g
const STRINGS_AND_LAST_COMMAS = /"(?:\\.|[^"\\\n])*"|,(?=\s*[}\]])/g

/** The settings as a value; an empty text is an empty object. Throws an `InstallError` that names the line. */
export function readSettings(text: string, file: string): SettingsValue {
  const plain = withoutLooseness(text)
  if (plain === '') return {}
  const value = parsed(plain, file)
  if (!isRecord(value)) throw new InstallError('not_an_object', `${file}:1: the settings are not a JSON object, so nothing was changed`, 1)
  return value
}

/** The line of the first comment or trailing comma of settings that `readSettings` took; null if they are plain JSON. */
export function looseLine(text: string): number | null {
  if (text.trim() === '') return null
  try {
    parsed(text.replace(BOM, ''), '')
    return null
  } catch (error) {
    return error instanceof InstallError ? error.line : null
  }
}

/** The value of a part of settings that were read before: with big numbers, which the syntax tree's own way to a value refuses. */
export function valueOf(part: string): unknown {
  return JSON.parse(withoutLooseness(part))
}

/** Plain JSON, cut at the end only: a mistake has the line that it has in the file. */
function withoutLooseness(text: string): string {
  return text.replace(BOM, '').replace(STRINGS_AND_COMMENTS, blank).replace(STRINGS_AND_LAST_COMMAS, blank).trimEnd()
}

function blank(part: string): string {
  return part.startsWith('"') ? part : part.replace(/[^\n]/g, ' ')
}

function parsed(plain: string, file: string): unknown {
  try {
    const value: unknown = JSON.parse(plain)
    return value
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause)
    // V8 names the place in its message; without one the text ended too early.
    const line = Number(/\(line (\d+) /.exec(detail)?.[1] ?? plain.split('\n').length)
    // What it quotes of the text is left out: it may be a secret.
    const what = detail.replace(/(, "| in JSON)[^]*$/, '')
    throw new InstallError('not_json', `${file}:${line}: not JSON (${what}). Nothing was changed: mend the file and run this again`, line, {
      cause,
    })
  }
}

/**
 * Changes a settings text by way of its syntax tree.
 * `text` must have passed `readSettings`. What the change does not touch comes out byte for byte.
 */
export function editSettings(text: string, change: (settings: JsonObject) => void): string {
  const bom = text.startsWith(BOM) ? BOM : ''
  const root: RootNode = parse(text.slice(bom.length))
  const settings: JsonObject = root.asObjectOrCreate()
  change(settings)
  return bom + root.toString()
}

/** The one property of that name. Throws when there are two: the harness takes one and we might edit the other. */
export function propertyOf(object: JsonObject, name: string, file: string): ObjectProp | null {
  const properties: ObjectProp[] = object.properties()
  const found = properties.filter((property) => property.decodedName() === name)
  if (found.length > 1)
    throw new InstallError('key_twice', `${file}: the key "${name}" stands there twice. Nothing was changed: keep one of them`)
  return found[0] ?? null
}

/** Every hook of every event, ours and others', in a shape that is not checked further. */
export function hooksIn(value: SettingsValue): readonly unknown[] {
  const hooks = value['hooks']
  if (!isRecord(hooks)) return []
  const groups: readonly unknown[] = Object.values(hooks).flatMap((list) => (Array.isArray(list) ? list : []))
  return groups.flatMap((group) => (isRecord(group) && Array.isArray(group['hooks']) ? group['hooks'] : []))
}
