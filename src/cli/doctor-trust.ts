/** Asks Codex itself whether it trusts our hooks: the terminal interface asks a person, `codex exec` skips them in silence (S13). */
import type { TrustFacts } from '../doctor/facts.ts'
import { AppServerError, withAppServer } from '../harness/codex/app-server.ts'
import { listOurHooks, untrusted } from '../harness/codex/trust.ts'

export interface TrustQuestion {
  readonly program: string
  readonly env: NodeJS.ProcessEnv
  /** The hook file that setup wrote. */
  readonly file: string
  /** A project's hooks are seen from its folder only. */
  readonly folder: string
}

export async function askTrust({ program, env, file, folder }: TrustQuestion): Promise<TrustFacts> {
  try {
    return await withAppServer({ program, env, folder }, async (rpc): Promise<TrustFacts> => {
      const ours = await listOurHooks(rpc, file, folder)
      if (ours.length === 0) return { state: 'unseen' }
      const wanting = untrusted(ours)
      if (wanting.length > 0) return { state: 'untrusted', hooks: wanting.length }
      const off = ours.filter(({ isEnabled }) => !isEnabled)
      return off.length > 0 ? { state: 'off', hooks: off.length } : { state: 'trusted' }
    })
  } catch (error) {
    if (!(error instanceof AppServerError)) throw error
    return { state: 'unknown', why: error.message }
  }
}
