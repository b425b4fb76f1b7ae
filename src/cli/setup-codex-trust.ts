/** The trust step of `contextmd setup codex`: what Codex would skip without a word is shown to the person, who decides (S13). */
import { AppServerError, withAppServer } from '../harness/codex/app-server.ts'
import { distrust, listOurHooks, type OurHook, trust, untrusted } from '../harness/codex/trust.ts'
import type { Io } from './command.ts'

interface Errand {
  readonly io: Io
  /** The hook file that setup wrote. */
  readonly file: string
  /** Where the person stands. */
  readonly folder: string
}

/** `given`: just now; `there`: all were trusted already. Else what the person can do, in one sentence. */
export type Trusted = { readonly state: 'given' | 'there' } | { readonly state: 'missing'; readonly cure: string }

const AT_NEXT_START =
  'Until you trust the hooks, Codex skips them without a word: start "codex" and confirm them when it says that hooks need review'

/** `isAgreed`: the person has said yes beforehand. */
export async function askForTrust({ io, file, folder }: Errand, isAgreed: boolean): Promise<Trusted> {
  const program = programOf(io)
  try {
    return await withAppServer({ program, env: io.env, folder }, async (rpc): Promise<Trusted> => {
      const ours = await listOurHooks(rpc, file, folder)
      if (ours.length === 0) return { state: 'missing', cure: notSeen(file) }
      const wanting = untrusted(ours)
      if (wanting.length === 0) return { state: 'there' }
      if (!isAgreed && !(await agrees(io, wanting)))
        return { state: 'missing', cure: `${AT_NEXT_START}, or run "contextmd setup codex --yes".` }
      await trust(rpc, wanting)
      return { state: 'given' }
    })
  } catch (error) {
    if (!(error instanceof AppServerError)) throw error
    const why = error.code === 'missing' ? `"${program}" is not on the PATH, so the hooks could not be trusted from here` : error.message
    return { state: 'missing', cure: `${why}. ${AT_NEXT_START}.` }
  }
}

/** Takes the trust back. A sentence for the person when that could not be done; else null. */
export async function takeTrustBack({ io, file, folder }: Errand): Promise<string | null> {
  const program = programOf(io)
  try {
    await withAppServer({ program, env: io.env, folder }, async (rpc) => {
      const ours = await listOurHooks(rpc, file, folder)
      await distrust(
        rpc,
        ours.map(({ key }) => key),
      )
    })
    return null
  } catch (error) {
    if (!(error instanceof AppServerError)) throw error
    return `The trust in our hooks is left in Codex's config.toml, under [hooks.state]: it has no effect without them (${error.message}).`
  }
}

/** `CONTEXTMD_CODEX` names another program than the one on the PATH. */
export function programOf({ env }: Io): string {
  return env['CONTEXTMD_CODEX'] || 'codex'
}

async function agrees(io: Io, hooks: readonly OurHook[]): Promise<boolean> {
  if (io.ask === undefined) return false
  const whatRuns = [...new Set(hooks.map(({ runs }) => runs))]
  io.stdout.write(`Codex runs a hook only once you trust it. To be trusted, for ${hooks.length} events:\n`)
  for (const runs of whatRuns) io.stdout.write(`  ${runs}\n`)
  const answer = await io.ask('Trust it? [y/N] ')
  return /^y(es)?$/i.test(answer.trim())
}

function notSeen(file: string): string {
  return `Codex does not see the hooks in ${file}: hooks may be switched off ("hooks = false" under [features] in its config.toml), or the project is not trusted yet (start "codex" in it once, then run this again).`
}
