/** What a setup of our endpoint would change, as a diff that shows our own lines only: the files hold secrets of other servers. */
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'
import type { AgentPlan } from '../install/agent-install.ts'

const HIDDEN = '…'
const HEAD_LINES = 2

/** `server`: our entry, as it is put there. Without a final line break. */
export function agentDiff({ file, text, place }: AgentPlan, ours: readonly string[]): string {
  const { path, text: before } = file
  const diff = createTwoFilesPatch(path, path, before ?? '', text, undefined, undefined, { context: 0, headerOptions: FILE_HEADERS_ONLY })
  const known = new Set([...ours, ...place.keys.map((key) => `${JSON.stringify(key)}: {`), `[${place.keys.join('.')}]`].map(plain))
  const lines = diff.trimEnd().split('\n')
  return lines.map((line, at) => (at < HEAD_LINES ? line : shown(line, known))).join('\n')
}

function shown(line: string, known: ReadonlySet<string>): string {
  if (!/^[-+]/.test(line)) return line
  const content = line.slice(1)
  const isOurs = known.has(plain(content)) || /^[\s{}[\],]*$/.test(content)
  return isOurs ? line.replace(/Bearer [^"\s{]+/g, 'Bearer ****') : `${line.slice(0, 1)}${HIDDEN}`
}

/** A line as it counts: the comma behind it comes and goes. */
function plain(line: string): string {
  return line.trim().replace(/,$/, '')
}
