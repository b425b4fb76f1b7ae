/** The host inside whose server we are mounted, or one database that is read beside it. */
import { performance } from 'node:perf_hooks'
import type { Millis } from '../../core/id.ts'
import type { Host } from '../../host.ts'
import type { HostRows } from './rows.ts'
import { T3Source } from './source.ts'
import { T3Host } from './t3-host.ts'

export interface T3CodeOptions {
  readonly rows: HostRows
  /** Inside the host's server: sessions that it never recorded are not served, unless `servesOthers` says so. Beside it they are. */
  readonly inside: boolean
  readonly servesOthers?: () => boolean
  readonly now: () => Millis
  readonly mono?: () => number
  /** For health. Default: the host's own database. */
  readonly name?: string
}

export function t3codeHost(options: T3CodeOptions): Host {
  const { rows, inside, servesOthers = () => !inside, now, mono = () => performance.now(), name = 'the database of the host' } = options
  const source = new T3Source({ rows, name, folder: name, isLive: () => (inside ? true : null), clocks: { now, mono } })
  return new T3Host({ sources: () => [source], servesOthers })
}
