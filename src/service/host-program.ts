/** Runs the host's own program, with bounds: what it prints, how long it takes, and what of it is shown to a person. */
import { spawn, type ChildProcess } from 'node:child_process'

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

/** So a person, a terminal or a system breaks off what runs. */
const BREAK_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const

/**
 * Ends with the program, or soon after it has printed what is `wanted`, or at the limit; what it prints last counts. A program that is ended
 * ends with all that it has started, also when this process is broken off. What it left running when it ended itself holds up nobody.
 */
export function runHostProgram<T>(
  { program, args, env }: { readonly program: string; readonly args: readonly string[]; readonly env: NodeJS.ProcessEnv },
  wanted: (out: string) => T | null,
  limitMs: number,
): Promise<Ended<T>> {
  return new Promise((resolve) => {
    const forget = onBreak(() => endGroup(child))
    // a process group of its own: a wrapper may have started the program as its child
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    let [out, err] = ['', '']
    let found: T | null = null
    let soon: NodeJS.Timeout | undefined
    const limit = setTimeout(() => finish(null), limitMs)
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text
      found = wanted(out) ?? found
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
      forget()
      endGroup(child)
      child.stdout.destroy()
      child.stderr.destroy()
      resolve({ code, found: wanted(`${out}\n`) ?? found, err })
    }
  })
}

/** Only while its first process is there: later the id may be another's. */
function endGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // it has ended meanwhile
  }
}

/** The terminal tells a group of its own nothing. This process then ends as it would have; the answer takes the watch back. */
function onBreak(end: () => void): () => void {
  const onSignal = (signal: NodeJS.Signals): void => {
    end()
    forget()
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal)
  }
  for (const signal of BREAK_SIGNALS) process.on(signal, onSignal)
  process.on('exit', end)
  return forget

  function forget(): void {
    for (const signal of BREAK_SIGNALS) process.off(signal, onSignal)
    process.off('exit', end)
  }
}

/**
 * The last object in a text that `wanted` takes, whatever stands before, behind and between; of nested ones the outermost. Null: there is none,
 * or it begins at a brace that is neither among the first nor among the last.
 */
export function objectIn<T>(text: string, wanted: (value: unknown) => T | null): T | null {
  let last: T | null = null
  let lastEnd = 0
  for (const begin of beginsIn(text)) {
    if (begin < lastEnd) continue
    const end = endOf(text, begin)
    const found = end === null ? null : wanted(parsed(text.slice(begin, end)))
    if (end === null || found === null) continue
    last = found
    lastEnd = end
  }
  return last
}

/** At each end of a text, looked at as the beginning of an object; each look goes through the text once. */
const MOST_BRACES = 200

/** In their order. */
function beginsIn(text: string): readonly number[] {
  const first: number[] = []
  for (let at = text.indexOf('{'); at !== -1 && first.length < MOST_BRACES; at = text.indexOf('{', at + 1)) first.push(at)
  const from = first.at(-1) ?? 0
  const others: number[] = []
  for (let at = text.lastIndexOf('{'); at > from && others.length < MOST_BRACES; at = text.lastIndexOf('{', at - 1)) others.push(at)
  return [...first, ...others.toReversed()]
}

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
      .replaceAll(SAID_SECRET, (all: string, name: string, word: string) => (PLAIN_WORD.test(word) ? all : `${name}****`))
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

const NAMED_SECRET = /(?<![a-z])(bearer\s+|(?:token|credential|secret|password|code)["']?\s*[:=]\s*["']?)[^\s"']+/gi
/** In a sentence. */
const SAID_SECRET = /(?<![a-z])((?:(?:token|credential|secret|password|code)["']?\s+)+(?:(?:is|was)\s+)?["']?)([^\s"']+)/gi
/** "token expired", "exit code 3": a credential has capitals, or letters and digits. */
const PLAIN_WORD = /^(?:[a-z]+|\d{1,3})[.,;:!?)]*$/
/** Long words of letters and digits mixed, as only a token is; paths and sentences are not. */
const LIKE_A_SECRET = /\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{20,}(?:\.[\w-]+)*\b/g
