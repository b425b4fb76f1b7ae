/** Runs the host's own program, with bounds: what it prints, how long it takes, and what of it is shown to a person. */
import { spawn } from 'node:child_process'

/** Of each of its two outputs: a credential, or why there is none. */
const MAX_OUTPUT_CHARS = 64 * 1024
/** So long it may stay once it has said what is wanted; and what it started may hold its output open once it has ended. */
const SOON_MS = 1_000
/** Of what it says, for a terminal: the last of it tells the reason. */
const MAX_TOLD_CHARS = 2_000
/** Looked through for what must not be shown. */
const MAX_CLEANED_CHARS = 2 * MAX_TOLD_CHARS

export interface Ended<T> {
  /** Null: it was not started, or took too long, or stayed after it had said what is wanted, and was ended. */
  readonly code: number | null
  /** What was wanted of what it prints. */
  readonly found: T | null
  readonly err: string
}

/** Ends with the program, or soon after it has printed what is `wanted`, or at the limit. What it left running holds up nobody. */
export function runHostProgram<T>(
  { program, args, env }: { readonly program: string; readonly args: readonly string[]; readonly env: NodeJS.ProcessEnv },
  wanted: (out: string) => T | null,
  limitMs: number,
): Promise<Ended<T>> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    let [out, err] = ['', '']
    let found: T | null = null
    let soon: NodeJS.Timeout | undefined
    const limit = setTimeout(() => finish(null), limitMs)
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (found !== null) return
      out += text
      found = wanted(out)
      out = out.slice(-MAX_OUTPUT_CHARS)
      if (found !== null) soon ??= setTimeout(() => finish(null), SOON_MS)
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err = (err + text).slice(-MAX_OUTPUT_CHARS)))
    child.once('error', (error) => {
      err += error.message
      finish(null)
    })
    child.once('exit', (code) => {
      clearTimeout(soon)
      // what it printed last may not be read yet
      soon = setTimeout(() => finish(code), found === null ? SOON_MS : 0)
    })
    child.once('close', (code) => finish(code))

    function finish(code: number | null): void {
      clearTimeout(limit)
      clearTimeout(soon)
      child.kill('SIGKILL')
      child.stdout.destroy()
      child.stderr.destroy()
      resolve({ code, found: found ?? wanted(`${out}\n`), err })
    }
  })
}

/** The first object in a text that `wanted` takes, whatever stands before, behind and between. Null: there is none. */
export function objectIn<T>(text: string, wanted: (value: unknown) => T | null): T | null {
  for (let begin = text.indexOf('{'), looks = 0; begin !== -1 && looks < MOST_BRACES; begin = text.indexOf('{', begin + 1), looks += 1) {
    const end = endOf(text, begin)
    const found = end === null ? null : wanted(parsed(text.slice(begin, end)))
    if (found !== null) return found
  }
  return null
}

/** Looked at as the beginning of an object; each look goes through the text once. */
const MOST_BRACES = 200

/** Behind the brace that closes the one at `begin`; null where none does. */
function endOf(text: string, begin: number): number | null {
  let depth = 0
  let isQuoted = false
  for (let at = begin; at < text.length; at += 1) {
    const sign = text[at]
    if (isQuoted) {
      if (sign === '\\') at += 1
      else if (sign === '"') isQuoted = false
    } else if (sign === '"') isQuoted = true
    else if (sign === '{') depth += 1
    else if (sign === '}') {
      depth -= 1
      if (depth === 0) return at + 1
    }
  }
  return null
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** What a program said, for a terminal: no codes that move its cursor or paint it, and nothing that looks like a secret. */
export function shown(text: string): string {
  const isCut = text.length > MAX_CLEANED_CHARS
  // a word that is cut in two is no longer known for a secret
  const last = isCut ? text.slice(-MAX_CLEANED_CHARS).replace(/^\S*/, '') : text
  return (
    withoutEscapes(last)
      .replaceAll(/\r\n?/g, '\n')
      // control characters, and those that are not seen or turn the direction of writing
      .replaceAll(/[^\P{C}\n\t]/gu, '')
      .replaceAll(NAMED_SECRET, '$1****')
      .replaceAll(LIKE_A_SECRET, '****')
      .trim()
      .slice(-MAX_TOLD_CHARS)
  )
}

const ESCAPE = '\u001b'
const BELL = '\u0007'

/** Without the sequences of ECMA-48: those with parameters (CSI), those with a text (OSC), and others of two signs. */
function withoutEscapes(text: string): string {
  const [first = '', ...others] = text.split(ESCAPE)
  const plain = others.map((part) => {
    if (part.startsWith('[')) return part.replace(/^\[[0-?]*[ -/]*[@-~]?/, '')
    if (part.startsWith(']')) return part.includes(BELL) ? part.slice(part.indexOf(BELL) + 1) : ''
    return part.replace(/^[ -/]*[0-~]?/, '')
  })
  return [first, ...plain].join('')
}

const NAMED_SECRET = /\b(bearer\s+|(?:token|credential|secret|password)["']?\s*[:=]\s*["']?)[^\s"']+/gi
/** Long words of letters and digits mixed, as only a token is; paths and sentences are not. */
const LIKE_A_SECRET = /\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{20,}(?:\.[\w-]+)*\b/g
