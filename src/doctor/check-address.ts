/** Do the hooks post to where the server is? */
import { commandFor, fixFor } from './check-hooks.ts'
import type { HarnessFacts } from './facts.ts'
import type { Finding } from './finding.ts'

/** `port`: of the running server; null: there is none. Hooks that look for the server find it on any port. */
export function checkAddress({ harness, setups }: HarnessFacts, port: number | null): readonly Finding[] {
  if (port === null) return []
  return setups
    .filter((setup) => setup.isThere && setup.isFixed && setup.port !== port)
    .map((setup) => ({
      id: 'address',
      harness,
      level: 'bad',
      what: `the hooks of ${setup.file} post to port ${setup.port}, and the server is at port ${port}`,
      cure: `${commandFor(setup, harness)} --port ${port}, or start the server with --port ${setup.port}`,
      fix: fixFor(setup, harness, port),
    }))
}
