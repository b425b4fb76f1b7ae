/** `npm run soak`: what takes too long for the tests. Loopback and temporary folders only. */
import { compareAges } from './age.ts'
import { readHugeFiles } from './gigabyte.ts'
import { joinLarge } from './join.ts'
import { killOften } from './kills.ts'
import { lockLong } from './locked.ts'
import { parseOptions, USAGE, type Part, type SoakOptions } from './options.ts'
import { pruneLarge } from './prune.ts'
import { serveLarge } from './size.ts'

const RUN: Readonly<Record<Part, (options: SoakOptions) => Promise<readonly string[]>>> = {
  kills: ({ kills }) => killOften(kills),
  locked: ({ lockedMs }) => lockLong(lockedMs),
  gigabyte: ({ fileBytes }) => readHugeFiles(fileBytes),
  age: ({ moments, keeping }) => compareAges(moments, keeping),
  prune: ({ moments, keeping }) => pruneLarge(moments, keeping),
  join: ({ attempts, items }) => joinLarge({ attempts, items }),
  size: ({ rows, contexts, keeping }) => serveLarge(rows, contexts, keeping),
}

process.exitCode = await soak(process.argv.slice(2))

async function soak(argv: readonly string[]): Promise<number> {
  let options: SoakOptions
  try {
    options = parseOptions(argv)
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`)
    return 64
  }
  const broken: string[] = []
  for (const part of options.parts) broken.push(...(await RUN[part](options)))
  console.log(broken.length === 0 ? '\nall of it holds' : `\n${broken.length} things do not hold:\n${broken.join('\n')}`)
  return broken.length === 0 ? 0 : 1
}
