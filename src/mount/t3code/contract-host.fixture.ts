/** Opens servers for the contract inside a small host of either generation: the told engine stands behind the mount's own door. */
import { onTestFinished } from 'vitest'
import type { Caller, ContractServer, Door, OpenServer } from '../../server/contract.fixture.ts'
import { tellEngine } from '../../server/engine.fixture.ts'
import type { Mishap } from '../../server/failure.ts'
import { serveInside } from './serve-inside.ts'
import type { Open } from './opening.ts'
import { hostToken, newWorld, type World } from './world.fixture.ts'

export interface Running {
  readonly address: string
  readonly port: number
  close(): Promise<void>
}

/** `start`: a small host with a mount that opens what it is given. */
export function insideHost(start: (world: World, open: Open) => Promise<Running>): OpenServer {
  return async (told = tellEngine(), { deadlineMs = 60_000, now = () => 0 } = {}) => {
    const mishaps: Mishap[] = []
    const report = (mishap: Mishap) => void mishaps.push(mishap)
    const host = await start(newWorld(), async () => serveInside({ engine: told, saw: () => {}, now, report, deadlineMs }))
    onTestFinished(() => host.close())
    const as = (caller: Caller) => ({ authorization: `Bearer ${hostToken(caller)}` })
    const server: ContractServer = {
      ...host,
      told,
      mishaps,
      as,
      token: hostToken,
      post: (path, body, headers = {}) => {
        const shown = 'authorization' in headers ? headers : { ...as('poster'), ...headers }
        return fetch(host.address + path, { method: 'POST', body, headers: shown })
      },
      get: (path, headers = as('person')) => fetch(host.address + path, { headers }),
    }
    return server
  }
}

/** The host does not tell why a token is not good, so all of them count. */
export const HOST_DOOR: Door = {
  unauthorized: { error: 'unauthorized' },
  lacksScope: {},
  counted: {
    expired: 'token refused by the host',
    revoked: 'token refused by the host',
    nobody: 'token refused by the host',
    scopeless: 'token lacks a scope of the host',
  },
}
