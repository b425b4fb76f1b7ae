/** Reads server-sent events from a response, as the HTML standard (section 9.2.6) says. */

export interface ServerEvent {
  readonly event: string
  readonly data: string
}

/** Comments (the pings) and events without data are passed over; an unfinished one at the end is dropped. */
export async function* readEvents(chunks: AsyncIterable<string>): AsyncGenerator<ServerEvent, void, undefined> {
  let rest = ''
  for await (const chunk of chunks) {
    const blocks = (rest + chunk).split(/\r?\n\r?\n/)
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const event = parseBlock(block)
      if (event !== null) yield event
    }
  }
}

function parseBlock(block: string): ServerEvent | null {
  let event = 'message'
  const data: string[] = []
  for (const line of block.split(/\r?\n/)) {
    const colon = line.indexOf(':')
    if (colon <= 0) continue
    const value = line.slice(colon + 1).replace(/^ /, '')
    if (line.startsWith('event:')) event = value
    if (line.startsWith('data:')) data.push(value)
  }
  return data.length === 0 ? null : { event, data: data.join('\n') }
}
