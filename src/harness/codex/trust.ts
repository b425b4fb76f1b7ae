/**
 * The trust that Codex asks for each hook: until it is given, `codex exec` and the app-server skip the hook without a word (S13).
 *
 * It stands in the person's `config.toml` as a hash, under a key that names the hook's file and its place there. Codex itself writes it.
 */
import { HOOK_SERVER, isOurHook } from '../../install/hook.ts'
import { listIn, objectIn, textIn } from './json.ts'
import type { Rpc } from './rpc.ts'

export interface OurHook {
  /** FILE:EVENT:GROUP:HANDLER, the places counted from 0. */
  readonly key: string
  /** What runs: a command line, or our tool. */
  readonly runs: string
  readonly hash: string
  /** `modified`: another command was trusted at this place. */
  readonly status: string
  /** False: the person switched it off in Codex. */
  readonly isEnabled: boolean
}

/** Hooks of ours in one file, as Codex sees them from a folder. A project's hooks are seen only once the project is trusted. */
export async function listOurHooks(rpc: Rpc, file: string, folder: string): Promise<readonly OurHook[]> {
  const answer = objectIn(await rpc.call('hooks/list', { cwds: [folder] }))
  return listIn(answer['data'])
    .flatMap((entry) => listIn(objectIn(entry)['hooks']))
    .map(objectIn)
    .flatMap((hook): OurHook[] => {
      const { key, command, currentHash: hash, trustStatus: status, enabled } = hook
      const isTool = hook['server'] === HOOK_SERVER
      if ((!isTool && !isOurHook({ type: 'command', command })) || textIn(hook['sourcePath']) !== file) return []
      if (typeof key !== 'string' || typeof hash !== 'string') return []
      const runs = isTool
        ? `the tool "${String(hook['tool'])}" of the MCP server ${HOOK_SERVER}: ContextMD on this machine`
        : String(command)
      return [{ key, runs, hash, status: String(status), isEnabled: enabled !== false }]
    })
}

/** Those that Codex would skip. */
export function untrusted(hooks: readonly OurHook[]): readonly OurHook[] {
  return hooks.filter(({ status }) => status !== 'trusted' && status !== 'managed')
}

/** What a person sees in Codex's settings is kept: whether a hook is switched on is not touched. */
export async function trust(rpc: Rpc, hooks: readonly OurHook[]): Promise<void> {
  const value = Object.fromEntries(hooks.map(({ key, hash, isEnabled }) => [key, { enabled: isEnabled, trusted_hash: hash }]))
  await rpc.call('config/batchWrite', { edits: [{ keyPath: STATES, value, mergeStrategy: 'upsert' }] })
}

/** Takes the trust back, and the table that held it if nothing else stands in it. */
export async function distrust(rpc: Rpc, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  const edits = keys.map((key) => ({ keyPath: `${STATES}.${JSON.stringify(key)}`, value: null, mergeStrategy: 'replace' }))
  await rpc.call('config/batchWrite', { edits })
  const config = objectIn(objectIn(await rpc.call('config/read', { includeLayers: false }))['config'])
  const left = objectIn(objectIn(config['hooks'])['state'])
  if (Object.keys(left).length === 0)
    await rpc.call('config/batchWrite', { edits: [{ keyPath: STATES, value: null, mergeStrategy: 'replace' }] })
}

const STATES = 'hooks.state'
