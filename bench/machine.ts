/** What the numbers were measured on. */
import { cpus, loadavg, totalmem } from 'node:os'
import { readFileSync } from 'node:fs'

export interface Machine {
  readonly cores: number
  readonly cpu: string
  readonly memoryMB: number
  readonly system: string
  readonly node: string
  readonly date: string
  /** Of the last minute, at the start: above the number of cores others were busy too. */
  readonly load: number
}

const MB = 1024 * 1024

export function machine(): Machine {
  const cores = cpus()
  return {
    cores: cores.length,
    cpu: cores[0]?.model.trim() ?? 'unknown',
    memoryMB: Math.round(totalmem() / MB),
    system: `${process.platform} ${process.arch}`,
    node: process.version,
    date: new Date().toISOString(),
    load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
  }
}

/** Memory of another process in MB, now; null where the system does not tell it in a file (only Linux does). */
export function memoryOf(pid: number): number | null {
  try {
    const kB = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return kB === undefined ? null : Math.round(Number(kB) / 1024)
  } catch {
    return null
  }
}

/** A tick of the clock that Linux counts processor time in: always 10 ms for programs. */
const TICK_MS = 10

/** Processor time that another process has taken, in milliseconds; null where the system does not tell it in a file. */
export function cpuOf(pid: number): number | null {
  try {
    // the second field is the program's name, which may hold anything
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    const [user, system] = [Number(fields[11]), Number(fields[12])]
    return Number.isNaN(user + system) ? null : (user + system) * TICK_MS
  } catch {
    return null
  }
}
