/** Facts of a harness that is set up and well, for tests of single checks. */
import { HARNESSES } from '../harness/all.ts'
import type { HarnessName } from '../core/id.ts'
import type { HarnessFacts, SetupFacts } from './facts.ts'

export const SETUP: SetupFacts = {
  way: 'user',
  project: null,
  file: '/home/dev/.agent/settings.json',
  isThere: true,
  isRecorded: true,
  stale: [],
  port: 4517,
  isFixed: true,
  token: { state: 'ok', expiresAt: null },
  obstacles: [],
  error: null,
}

export function factsOf(harness: HarnessName, more: Partial<HarnessFacts> = {}, setup: Partial<SetupFacts> = {}): HarnessFacts {
  const profile = HARNESSES.find((one) => one.profile.name === harness)?.profile
  if (profile === undefined) throw new Error(harness)
  return {
    harness,
    profile,
    program: `/usr/bin/${harness}`,
    version: profile.proven.to,
    setups: [{ ...SETUP, ...setup }],
    agents: [],
    others: [],
    trust: null,
    probes: [],
    missed: {},
    exposed: [],
    unreadable: [],
    ...more,
  }
}
