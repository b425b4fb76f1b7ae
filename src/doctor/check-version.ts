/** Is the harness's version one on which the canary has proven the seams? */
import { isProven } from '../engine/versions.ts'
import type { HarnessFacts } from './facts.ts'
import type { Finding } from './finding.ts'

export function checkVersion({ harness, profile, program, version }: HarnessFacts): Finding {
  const about = { id: 'version', harness } as const
  const { from, to } = profile.proven
  const range = from === to ? from : `${from} to ${to}`
  if (program === null)
    return {
      ...about,
      level: 'note',
      what: `its program was not found on the PATH, so its version is not known (proven: ${range})`,
      cure: '',
    }
  if (version === null)
    return {
      ...about,
      level: 'warn',
      what: `${program} --version tells no version (proven: ${range})`,
      cure: `Run it by hand: if it does not work, mend ${profile.title} first.`,
    }
  if (isProven(version, profile.proven)) return { ...about, level: 'ok', what: `${version}, proven by the canary`, cure: '' }
  return {
    ...about,
    level: 'warn',
    what: `${version}: not proven on this version (proven: ${range})`,
    cure: `It usually works. Look at "contextmd log" whether texts are shown; else use ${profile.title} ${to}, or update ContextMD.`,
  }
}
