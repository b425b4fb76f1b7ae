/** Tells a server in the background that nobody can find it any more: its data folder was removed, or another server took its place. */
import { readServerFile } from '../server/server-file.ts'

/** A removed folder may hold the next one's files soon. */
const LOOK_EVERY_MS = 2_000

/** Resolves once the server file names another process than `pid`, or is not there; never, if it was stopped before. */
export function whenGone(serverFile: string, pid: number, lookEveryMs = LOOK_EVERY_MS): { readonly ended: Promise<void>; stop(): void } {
  let timer: ReturnType<typeof setInterval> | undefined
  const ended = new Promise<void>((resolve) => {
    timer = setInterval(() => {
      if (readServerFile(serverFile)?.pid !== pid) resolve()
    }, lookEveryMs).unref()
  })
  return { ended, stop: () => clearInterval(timer) }
}
