/**
 * `node canary/record.ts`: records the session of `contextmd demo` from the real program, with a scripted model in place of the vendor's.
 *
 * Our real hooks post to our real server, which serves `examples/rules`. What passes between them, and what the program writes to its
 * session file, goes to `examples/demo/session.jsonl`; names, times and the program's own prose are taken out.
 */
import { cpSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { claudeCodePackage } from './claude-code/package.ts'
import { openStage } from './claude-code/stage.ts'
import type { Stage } from './claude-code/stage.ts'
import { read, shell, write } from './claude-code/tools.ts'
import { logText } from './claims.ts'
import { installHarness } from './install.ts'
import { inOrder } from './kit/model.ts'
import type { Script } from './kit/model.ts'
import { calls, say } from './kit/reply.ts'
import type { Block } from './kit/reply.ts'
import { openTap } from './record/tap.ts'
import { tidied } from './record/tidy.ts'

const RULES = fileURLToPath(new URL('../examples/rules', import.meta.url))
const RECORDING = fileURLToPath(new URL('../examples/demo/session.jsonl', import.meta.url))

/** Short: a line of the timeline has 40 columns for them. */
const PROMPTS = ['Add invoices to the next release', '/compact', 'Reword the commit, please'] as const

const ENDPOINT = 'src/api/invoices.ts'
const MIGRATION = 'migrations/0007_invoices.sql'
const TEST = `import { readFileSync } from 'node:fs'
const source = readFileSync('${ENDPOINT}', 'utf8')
if (!source.includes('invoice_not_found')) {
  console.error('FAIL invoices: an unknown id is answered with the code invoice_not_found')
  process.exit(1)
}
console.log('1 passed')
`
const FIRST_TRY = `export const invoice = (id: string) => ({ status: 404, body: 'no invoice ' + id })\n`
const SECOND_TRY = `export const invoice = () => ({ status: 404, body: { error: { code: 'invoice_not_found', message: 'No such invoice.' } } })\n`
const TABLE = 'create table if not exists invoices (id text primary key, amount integer);\n'

function script(place: Stage['place']): Script {
  const inProject = (path: string, content: string): Block => write(join(place.project, path), content)
  const guide = join(place.store, 'more', 'migrations-guide.txt')
  return inOrder(
    calls(inProject(ENDPOINT, FIRST_TRY)),
    calls(inProject(MIGRATION, TABLE)),
    calls(read(guide)),
    calls(inProject(MIGRATION, TABLE)),
    calls(shell('npm test')),
    calls(inProject(ENDPOINT, SECOND_TRY)),
    calls(shell('npm test && git add -A')),
    calls(shell('git commit -m wip')),
    calls(shell('git commit -m "Add invoices"')),
    calls(shell('git push --force origin main')),
    say('Invoices are committed. A rule of yours forbids the push; please push yourself.'),
    calls(shell('git commit --amend -m "Invoices."')),
    calls(shell('git commit --amend -m "Add an endpoint for invoices"')),
    say('Reworded.'),
  )
}

const GIT_PERSON = {
  GIT_AUTHOR_NAME: 'dev',
  GIT_AUTHOR_EMAIL: 'dev@example.com',
  GIT_COMMITTER_NAME: 'dev',
  GIT_COMMITTER_EMAIL: 'dev@example.com',
}

async function record(): Promise<void> {
  const installed = await installHarness(claudeCodePackage(), process.env, (line) => console.log(line))
  const stage = await openStage(installed.program, process.env)
  const tap = await openTap()
  try {
    const { place } = stage
    cpSync(RULES, place.store, { recursive: true })
    await place.write(join(place.project, 'package.json'), '{ "private": true, "type": "module", "scripts": { "test": "node test.js" } }\n')
    await place.write(join(place.project, 'test.js'), TEST)
    // the hooks are written with the tap's port: the later one counts
    await stage.begin(script(place), { setup: ['--port', String(tap.port)] })
    tap.passTo(`http://127.0.0.1:${stage.server().port}`)
    await stage.play(PROMPTS, { env: GIT_PERSON })
    await tap.finish()
    console.log(logText(await stage.server().log()))
    const problems = stage.model.problems()
    if (problems.length > 0) throw new Error(problems.join('\n'))
    const lines = tidied(tap.heard(), { place, version: installed.version, prompts: PROMPTS })
    await writeFile(RECORDING, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    console.log(`written to ${RECORDING}: ${lines.length} lines`)
  } finally {
    await stage.close()
    await tap.close()
  }
}

await record()
