/**
 * `server-runtime.json` in a host's state folder: which process serves there, and at which port.
 *
 * The host writes it once its listener is up, and takes it back on a clean stop; a crash leaves it. So the process must be looked at.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface HostRuntime {
  readonly pid: number
  /** Null where the file tells none. */
  readonly port: number | null
}

/** Null where there is no such file, or none that can be read. */
export function readRuntime(folder: string): HostRuntime | null {
  try {
    const runtime: unknown = JSON.parse(readFileSync(join(folder, 'server-runtime.json'), 'utf8'))
    if (typeof runtime !== 'object' || runtime === null || !('pid' in runtime)) return null
    const { pid } = runtime
    if (!isCount(pid)) return null
    const port = 'port' in runtime ? runtime.port : null
    return { pid, port: isCount(port) && port < 65_536 ? port : null }
  } catch {
    return null
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0
}
