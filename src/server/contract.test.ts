import { expect } from 'vitest'
import { openTokens } from '../state/tokens.ts'
import { describeContract, type Caller, type OpenServer } from './contract.fixture.ts'
import { withServer } from './with-server.fixture.ts'

const open: OpenServer = async (told, more) => {
  const server = await withServer(told, more)
  const scopeless = () => openTokens(server.paths.tokens, { now: () => 0 }).issue({ name: 'scopeless', scopes: [], days: 30 }).token
  const token = (caller: Caller): string => (caller === 'scopeless' ? scopeless() : server.token(caller))
  return { ...server, token, as: (caller) => ({ authorization: `Bearer ${token(caller)}` }) }
}

describeContract('the standalone server', open, {
  unauthorized: { error: { code: expect.stringMatching(/^token_(missing|unknown|revoked|expired)$/), requestId: expect.any(String) } },
  lacksScope: { error: { code: 'token_lacks_scope', requestId: expect.any(String) } },
  counted: { expired: 'token expired', revoked: 'token revoked' },
})
