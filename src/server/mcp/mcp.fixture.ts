/** Messages as a client of the Model Context Protocol sends them. */

export function rpc(id: string | number, method: string, params: object = {}): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params })
}

export function toolCall(name: string, input: object, meta: object = {}): string {
  return rpc(1, 'tools/call', { _meta: { progressToken: 1, ...meta }, name, arguments: input })
}

/** The one text of a tool's answer, and whether it is an error. */
export async function answerOf(response: Response): Promise<{ readonly text: string; readonly isError: boolean }> {
  const { result } = (await response.json()) as { result: { content: { type: string; text: string }[]; isError?: boolean } }
  if (result.content.length !== 1) throw new Error(`an answer has one text, not ${result.content.length}`)
  return { text: result.content[0]?.text ?? '', isError: result.isError ?? false }
}
