/** Sends a test moment through the installed OpenCode plugin: loaded by a process of its own, as OpenCode would load it. */
import { pathToFileURL } from 'node:url'
import type { ProbeFacts, ProbeOutcome } from './facts.ts'
import { probePluginCall } from './probe-events.ts'
import { runProcess } from './probe-process.ts'

/** The start of a process and of the plugin, on a busy machine; the plugin itself gives up after its own limit. */
const LIMIT_MS = 20_000

/** What of OpenCode the plugin asks at the end of a tool, in a conversation that nobody has. */
const SCRIPT = `
const [file, session] = process.argv.slice(1)
const { default: plugin } = await import(file)
const client = { session: { get: async () => ({}), messages: async () => ({ data: [] }), prompt: async () => ({}) } }
const hooks = await plugin.server({ client, directory: process.cwd() })
const output = { title: '', output: '', metadata: { exit: 0 } }
await hooks['tool.execute.after']({ tool: 'bash', sessionID: session, callID: 'doctor-call', args: { command: 'true' } }, output)
process.stdout.write(JSON.stringify(output.output), () => process.exit(0))
`

/** `file`: of the plugin, in OpenCode's settings folder. */
export async function probePlugin(file: string, env: NodeJS.ProcessEnv, folder: string): Promise<ProbeFacts> {
  const { session, expected } = probePluginCall()
  const { CONTEXTMD_OFF: _, ...clean } = env
  const args = ['--input-type=module', '--eval', SCRIPT, pathToFileURL(file).href, session]
  const ended = await runProcess({ program: process.execPath, args, env: clean, folder, input: '', limitMs: LIMIT_MS })
  return { way: 'plugin', events: ['tool.execute.after'], outcome: outcomeOf(ended, expected) }
}

function outcomeOf(ended: Awaited<ReturnType<typeof runProcess>>, expected: string): ProbeOutcome {
  switch (ended.state) {
    case 'late':
      return { state: 'late', limitMs: LIMIT_MS }
    case 'unstartable':
      return { state: 'failed', exitCode: null, why: ended.why }
    case 'ended': {
      if (ended.exitCode !== 0) return { state: 'failed', exitCode: ended.exitCode, why: 'the plugin can not be loaded' }
      const text = textIn(ended.stdout)
      if (text === null) return { state: 'garbled' }
      if (text === '') return { state: 'silent' }
      return text === expected ? { state: 'answered', ms: ended.ms } : { state: 'misunderstood', text: text.slice(0, 200) }
    }
    default:
      return ended satisfies never
  }
}

/** The plugin puts an empty line before its text. */
function textIn(stdout: string): string | null {
  try {
    const value: unknown = JSON.parse(stdout)
    return typeof value === 'string' ? value.trim() : null
  } catch {
    return null
  }
}
