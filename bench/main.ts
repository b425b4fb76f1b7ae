/** `npm run bench`: what ContextMD costs, side by side with what people would use instead, in one run. */
import { measureHookTimes, hookTimesText } from './hook-times.ts'
import { machine } from './machine.ts'
import { measureMatching, matchingText } from './matching.ts'
import { measureMoments, momentsText } from './moments.ts'
import { parseOptions, USAGE, type BenchOptions } from './options.ts'
import { printProfile } from './profile.ts'
import { writeReport } from './report.ts'
import { printState } from './state.ts'
import { measureSessionBytes, sessionBytesText } from './session-bytes.ts'
import { echoTarget, serverTarget, type Target } from './target.ts'
import { measureWaves, wavesText } from './waves.ts'

/** The size that the aims are about. */
const AIMED_ENTRIES = 10_000

await main()

async function main(): Promise<void> {
  let options: BenchOptions
  try {
    options = parseOptions(process.argv.slice(2))
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    console.error(`${error.message}\n\n${USAGE}`)
    process.exitCode = 1
    return
  }
  const on = machine()
  console.log(`\n  ${on.cpu}, ${on.cores} cores, ${on.system}, Node ${on.node}, ${on.date}, load ${on.load}\n`)
  if (options.profile) return printProfile(options.effort)
  if (options.state) return printState(options.effort.logged)
  await runAll(options, on)
}

async function runAll({ effort, others, json }: BenchOptions, on: ReturnType<typeof machine>): Promise<void> {
  const targets: Target[] = []
  try {
    for (const entries of effort.entries) targets.push(await serverTarget(entries))
    const echo = await echoTarget()
    targets.push(echo)
    const moments = await measureMoments(targets, effort)
    show(momentsText(moments))
    const largest = targets.find(({ place }) => place?.entries === AIMED_ENTRIES) ?? echo
    const waves = await measureWaves(largest, echo, effort)
    show(wavesText(waves))
    const hooks = await measureHookTimes(largest, effort)
    show(hookTimesText(hooks))
    await Promise.all(targets.splice(0).map((target) => target.close()))
    const sessionBytes = await measureSessionBytes()
    show(sessionBytesText(sessionBytes))
    const matching = await measureMatching(effort, others)
    show(matchingText(matching))
    const file = writeReport({ machine: on, effort, moments, waves, hooks, sessionBytes, matching }, json)
    console.log(`  ${(performance.now() / 1_000).toFixed(0)} s in all. Numbers: ${file}\n`)
  } finally {
    await Promise.all(targets.map((target) => target.close()))
  }
}

function show(text: string): void {
  console.log(`${text}\n`)
}
