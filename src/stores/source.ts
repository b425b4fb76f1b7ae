/** From the bytes of an entry's file to its front matter and body, as text. */

/** What can be wrong with a file before anyone looks at its keys. `line` counts from 1. */
export type SourceMistake =
  | { readonly code: 'entry_not_utf8'; readonly line: number }
  | { readonly code: 'entry_not_text'; readonly line: number }
  | { readonly code: 'entry_no_front_matter'; readonly line: 1 }
  | { readonly code: 'entry_front_matter_open'; readonly line: 1 }
  | { readonly code: 'entry_front_matter_too_large'; readonly line: 1 }

export type Source =
  | {
      readonly ok: true
      /** Between the two `---` lines. Its first line is line 2 of the file. */
      readonly frontMatter: string
      /** Ends trimmed, line ends as LF. */
      readonly body: string
      /** True if the file starts with a byte order mark, which is passed over. */
      readonly hadMark: boolean
    }
  | { readonly ok: false; readonly mistake: SourceMistake }

/** Front matter is a few dozen lines. Parsing hostile YAML of this size takes up to some hundred milliseconds, of more ever longer. */
const MAX_FRONT_MATTER_CHARACTERS = 16 * 1024

const FENCE = /^---[ \t]*$/

export function sourceOf(bytes: Uint8Array): Source {
  const decoded = decode(bytes)
  if (typeof decoded !== 'string') return { ok: false, mistake: decoded }

  const hadMark = decoded.startsWith('\uFEFF')
  const lines = decoded
    .slice(hadMark ? 1 : 0)
    .replace(/\r\n?/g, '\n')
    .split('\n')
  if (!FENCE.test(lines[0] ?? '')) return { ok: false, mistake: { code: 'entry_no_front_matter', line: 1 } }

  const end = lines.findIndex((line, index) => index > 0 && FENCE.test(line))
  if (end === -1) return { ok: false, mistake: { code: 'entry_front_matter_open', line: 1 } }

  const frontMatter = lines.slice(1, end).join('\n')
  if (frontMatter.length > MAX_FRONT_MATTER_CHARACTERS) return { ok: false, mistake: { code: 'entry_front_matter_too_large', line: 1 } }
  const body = lines
    .slice(end + 1)
    .join('\n')
    .trim()
  return { ok: true, frontMatter, body, hadMark }
}

function decode(bytes: Uint8Array): string | SourceMistake {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    // The decoder does not say where: the first replacement character of a tolerant pass does.
    return { code: 'entry_not_utf8', line: lineAt(new TextDecoder().decode(bytes), '\uFFFD') }
  }
  // UTF-16 without other letters than ASCII is valid UTF-8 full of NULs; so are binary files now and then.
  return text.includes('\0') ? { code: 'entry_not_text', line: lineAt(text, '\0') } : text
}

function lineAt(text: string, found: string): number {
  return text.slice(0, Math.max(0, text.indexOf(found))).split('\n').length
}
