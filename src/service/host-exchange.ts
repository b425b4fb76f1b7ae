/**
 * A pairing credential for a token that only reads, by the host's token exchange (`POST /oauth/token`), and whether a token is still good.
 *
 * The credential is good once. What the host gives is checked before it is taken: a token that can do more than read would lie in a file
 * that hooks show around.
 */
import { z } from 'zod'
import type { Millis } from '../core/id.ts'
import { askHostAt } from './host-request.ts'

export const HOST_SCOPE = 'orchestration:read'

/** What is longer goes into no header, and what lives longer is no answer of a host. */
const MAX_TOKEN = 4_096
const TEN_YEARS_S = 10 * 365 * 24 * 60 * 60
/** Of what a host says, for a terminal. */
const MAX_WORDS = 300

const Given = z.object({
  access_token: z
    .string()
    .regex(/^[\x21-\x7e]+$/)
    .max(MAX_TOKEN),
  token_type: z.string().regex(/^bearer$/i),
  /** Seconds. */
  expires_in: z.number().positive().max(TEN_YEARS_S),
  scope: z.string(),
})
const Refusal = z.object({
  error: z.string().optional(),
  error_description: z.string().optional(),
  code: z.string().optional(),
  reason: z.string().optional(),
})
const Claims = z.object({ sid: z.string().optional(), scopes: z.array(z.string()).optional() })

export type Exchanged =
  | { readonly state: 'given'; readonly token: string; readonly expiresAt: Millis; readonly session: string | null }
  /** `why`: in the host's own words, for a person. */
  | { readonly state: 'refused'; readonly why: string }
  /** It would do more than read, or less; it is not kept. */
  | { readonly state: 'too-wide'; readonly scope: string; readonly session: string | null }
  | { readonly state: 'silent' }
  /** It has no such call, or answers it in a form that is not known here. */
  | { readonly state: 'unknown-form'; readonly status: number }

/** `port`: of a host that has shown that it is ours. */
export async function exchange(port: number, credential: string, now: () => Millis): Promise<Exchanged> {
  const answer = await askHostAt({
    port,
    path: '/oauth/token',
    form: {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: credential,
      subject_token_type: 'urn:t3:params:oauth:token-type:environment-bootstrap',
      requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      scope: HOST_SCOPE,
      client_label: 'contextmd',
    },
  })
  if (answer === null) return { state: 'silent' }
  const { status, body } = answer
  const given = Given.safeParse(body)
  if (status === 200 && given.success) return checked(given.data, now())
  if (status >= 400 && status < 500 && status !== 404) return { state: 'refused', why: refusalIn(status, body) }
  return { state: 'unknown-form', status }
}

function checked({ access_token: token, expires_in: seconds, scope }: z.infer<typeof Given>, now: Millis): Exchanged {
  const claims = claimsOf(token)
  const session = claims?.sid ?? null
  const scopes = [...scope.split(/\s+/).filter((one) => one !== ''), ...(claims?.scopes ?? [])]
  if (scopes.length === 0 || scopes.some((one) => one !== HOST_SCOPE))
    return { state: 'too-wide', scope: [...new Set(scopes)].join(' '), session }
  return { state: 'given', token, expiresAt: now + Math.floor(seconds * 1_000), session }
}

/** A token of the host is its claims, as JSON in base64url, and a signature behind a full stop. Null for one of another form. */
function claimsOf(token: string): z.infer<typeof Claims> | null {
  try {
    return Claims.parse(JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString('utf8')))
  } catch {
    return null
  }
}

function refusalIn(status: number, body: unknown): string {
  const { error, error_description: description, code, reason } = Refusal.safeParse(body).data ?? {}
  const words = [error ?? code, description ?? reason].filter((word) => word !== undefined)
  return words.length === 0
    ? `status ${status}`
    : words
        .join(': ')
        .replaceAll(/[^\x20-\x7e]+/g, ' ')
        .slice(0, MAX_WORDS)
}

/** Whether ContextMD inside the host lets this token read. `unknown`: nobody could be asked. */
export async function checkHostToken(port: number, token: string): Promise<'good' | 'refused' | 'unknown'> {
  const answer = await askHostAt({ port, path: '/contextmd/v1/health', headers: { authorization: `Bearer ${token}` } })
  if (answer?.status === 200) return 'good'
  return answer?.status === 401 || answer?.status === 403 ? 'refused' : 'unknown'
}
