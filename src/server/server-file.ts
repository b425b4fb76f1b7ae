/** `server.json` in the data folder: where the running server is found. A server that was killed leaves its file behind. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { z } from 'zod'

/**
 * How it was started: by a person in a terminal, by the service manager, by a hook or in the background, for one command; `host`: it is a
 * part of a host's own server, whose process is not ours to end.
 */
const STARTED = ['terminal', 'service', 'background', 'command', 'host'] as const
export type StartedAs = (typeof STARTED)[number]

/** Process ids are numbers of 32 bits, with a sign, wherever Node runs; above that, the call that asks for one throws. */
const MAX_PID = 2 ** 31 - 1
const MAX_PORT = 65_535

/** Hooks read this file with the means of a shell: one line, the address as it stands here. */
const ServerFile = z.object({
  pid: z.number().int().positive().max(MAX_PID),
  /** `http://127.0.0.1:PORT`, without a path. */
  address: z.string().refine(isAddress),
  version: z.string(),
  startedAt: z.number(),
  // a word of a version to come: what is not known to be ours to end is left alone
  startedAs: z.enum(STARTED).catch('host'),
})
export type ServerFile = Readonly<z.infer<typeof ServerFile>>

function isAddress(text: string): boolean {
  const port = Number(/^http:\/\/127\.0\.0\.1:([1-9]\d{0,4})$/.exec(text)?.[1])
  return port <= MAX_PORT
}

/** Null where there is none, or none that can be read: then no server is known. */
export function readServerFile(file: string): ServerFile | null {
  try {
    return ServerFile.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return null
  }
}

/** Whole at every instant, and for its owner only. */
export function writeServerFile(file: string, content: ServerFile): void {
  const draft = `${file}.${content.pid}`
  writeFileSync(draft, `${JSON.stringify(content)}\n`, { mode: 0o600 })
  renameSync(draft, file)
}

/**
 * Changes the line of this process, so that whoever has proven the old one asks again. Never throws: where it can't be written, the line
 * stays until the file is removed.
 */
export function disownServerFile(file: string): void {
  const content = readServerFile(file)
  if (content?.pid !== process.pid) return
  try {
    writeServerFile(file, { ...content, startedAt: content.startedAt + 1 })
  } catch {
    // a full disk
  }
}

/** Removes the file if this process wrote it. */
export function removeServerFile(file: string, pid: number): void {
  if (readServerFile(file)?.pid === pid) rmSync(file, { force: true })
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Of another user: alive all the same.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
