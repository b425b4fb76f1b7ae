/** One session by the Agent Client Protocol (ACP): JSON-RPC over the program's stdin and stdout, as an editor speaks it. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Session } from './stage.ts'
import { fieldsOf } from './within.ts'

/** One answer. A scripted one takes seconds, on a busy machine minutes: the program may have to start first. */
const PROMPT_TIMEOUT_MS = 240_000
const END_TIMEOUT_MS = 10_000
const MAX_ERROR_CHARS = 2_000

export interface AcpOptions {
  readonly program: string
  /** Arguments with which it speaks ACP. */
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** A session to go on with. */
  readonly load?: string
}

type Message = Readonly<Record<string, unknown>>

export function openAcp({ program, args, cwd, env, load }: AcpOptions): Session {
  const child = spawn(program, args, { cwd, env })
  const ended = new Promise<void>((resolve) => {
    child.on('error', () => resolve())
    child.on('close', () => resolve())
  })
  const waiting = new Map<number, { resolve: (result: Message) => void; reject: (error: Error) => void }>()
  const notices: string[] = []
  let errors = ''
  let count = 0
  let session = ''
  child.stderr.on('data', (chunk: Buffer) => (errors = `${errors}${chunk.toString('utf8')}`.slice(-MAX_ERROR_CHARS)))
  child.stdin.on('error', () => {})

  const send = (message: object): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  createInterface({ input: child.stdout }).on('line', (text) => {
    const message = parsed(text)
    if (message === null) return
    const { id, method } = message
    if (typeof method === 'string') {
      notices.push(...noticesIn(message))
      // it asks for something that this client does not have: permissions, files
      if (id !== undefined) send({ id, error: { code: -32601, message: 'not supported' } })
      return
    }
    const one = typeof id === 'number' ? waiting.get(id) : undefined
    if (one === undefined) return
    if (message['error'] === undefined) one.resolve(fieldsOf(message['result']))
    else one.reject(new Error(`the program gave an error: ${JSON.stringify(message['error'])}`))
  })

  const ask = async (method: string, params: object): Promise<Message> => {
    const id = (count += 1)
    let timer: NodeJS.Timeout | undefined
    const answer = new Promise<Message>((resolve, reject) => {
      waiting.set(id, { resolve, reject })
      const late = () => reject(new Error(`no answer to ${method} within ${PROMPT_TIMEOUT_MS / 1000} s. ${errors}`))
      timer = setTimeout(late, PROMPT_TIMEOUT_MS)
      void ended.then(() => reject(new Error(`the program ended before it answered ${method}. ${errors}`)))
    })
    send({ id, method, params })
    return answer.finally(() => clearTimeout(timer))
  }
  const begin = async (): Promise<void> => {
    await ask('initialize', { protocolVersion: 1, clientCapabilities: {} })
    if (load !== undefined) await ask('session/load', { sessionId: load, cwd, mcpServers: [] })
    session = load ?? String((await ask('session/new', { cwd, mcpServers: [] }))['sessionId'])
  }

  const say = async (prompt: string): Promise<void> => {
    if (session === '') await begin()
    await ask('session/prompt', { sessionId: session, prompt: [{ type: 'text', text: prompt }] })
  }

  return {
    id: () => session,
    notices: () => notices,
    say,
    compact: () => say('/compact'),
    async end() {
      child.stdin.end()
      const timer = setTimeout(() => child.kill('SIGKILL'), END_TIMEOUT_MS)
      await ended
      clearTimeout(timer)
    },
  }
}

function noticesIn({ params }: Message): readonly string[] {
  const update = fieldsOf(fieldsOf(params)['update'])
  return update['sessionUpdate'] === 'hook_annotation' ? [String(update['message'])] : []
}

function parsed(line: string): Message | null {
  try {
    return fieldsOf(JSON.parse(line))
  } catch {
    return null
  }
}
