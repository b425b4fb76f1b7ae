/** `contextmd demo`: plays a recorded session through the real server and shows what happens at each moment. */
import { parseArgs } from 'node:util'
import { fileURLToPath } from 'node:url'
import type { Command, Io } from './command.ts'
import { readVersion } from './version.ts'

const RULES = fileURLToPath(new URL('../../examples/rules', import.meta.url))
const RECORDING = fileURLToPath(new URL('../../examples/demo/session.jsonl', import.meta.url))
/** As a shell gives it for a program that Ctrl+C ended. */
const INTERRUPTED = 130

export const command: Command = {
  name: 'demo',
  summary: 'Plays a recorded session and shows what is served, held and proven.',
  usage: `contextmd demo

Starts the server on a free port with the example entries, posts the events of a recorded session of
Claude Code to it, and shows what happens at each moment. Ends by itself; leaves nothing behind.

Exit code 1 if something that it promises to show did not happen.`,
  async run(argv, io) {
    parseArgs({ args: argv, options: {}, allowPositionals: false })
    const stop = new AbortController()
    const onSignal = (): void => stop.abort()
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal)
    try {
      return await demo(io, stop.signal)
    } finally {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, onSignal)
    }
  },
}

async function demo(io: Io, signal: AbortSignal): Promise<number> {
  const [{ readRecording }, { openPlace }, { play, readLog }, timeline, { promises }, { summaryLines }] = await Promise.all([
    import('../demo/recording.ts'),
    import('../demo/place.ts'),
    import('../demo/play.ts'),
    import('../demo/timeline.ts'),
    import('../demo/promises.ts'),
    import('../demo/summary.ts'),
  ])
  const print = (text: string): unknown => io.stdout.write(`${text}\n`)
  // https://no-color.org
  const look = { colours: io.isTTY === true && !io.env['NO_COLOR'] }
  const recording = readRecording(RECORDING)
  const place = await openPlace(RULES, readVersion())
  try {
    print(`\n  A session of Claude Code ${recording.version}, recorded, played through the real server at ${place.server.address}\n`)
    print(timeline.timelineHead(look))
    const played = []
    for await (const each of play(recording, place, signal)) {
      played.push(each)
      for (const line of timeline.timelineLines(each, place.root, look)) print(line)
    }
    if (signal.aborted) return INTERRUPTED
    const rows = await readLog(place)
    const { engine } = place.server
    const promised = promises(rows, { events: recording.steps.length, problems: engine.health().problems.map(({ code }) => code) })
    const entryFiles = engine.entries().map(({ file }) => file)
    print('')
    for (const line of summaryLines({ played, rows, entryFiles, promised }, look)) print(line)
    print('')
    return promised.every(({ wasSeen }) => wasSeen) ? 0 : 1
  } finally {
    await place.close()
  }
}
