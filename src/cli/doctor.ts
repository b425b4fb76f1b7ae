/** `contextmd doctor`: looks whether rules can arrive, from the harness's settings to the server and back, and says how to mend what is broken. */
import { parseArgs } from 'node:util'
import type { HarnessName } from '../core/id.ts'
import { checkAgents } from '../doctor/check-agents.ts'
import { checkAddress } from '../doctor/check-address.ts'
import { checkEnvironment, checkProxy, proxiesIn } from '../doctor/check-environment.ts'
import { checkDisk, checkPrivate } from '../doctor/check-files.ts'
import { checkHooks } from '../doctor/check-hooks.ts'
import { checkProbes } from '../doctor/check-probe.ts'
import { checkMissed, checkOthers, checkReadable } from '../doctor/check-rest.ts'
import { checkTokens } from '../doctor/check-token.ts'
import { checkTrust } from '../doctor/check-trust.ts'
import { checkVersion } from '../doctor/check-version.ts'
import { checkExposed } from '../doctor/exposed.ts'
import type { EnvironmentFacts, HarnessFacts } from '../doctor/facts.ts'
import type { Finding } from '../doctor/finding.ts'
import { runProcess } from '../doctor/probe-process.ts'
import { HOME_VARIABLES } from '../host/t3code/instances.ts'
import { findProgram } from '../install/find-program.ts'
import { hookTokensIn } from '../install/hook-token.ts'
import { pathsFrom } from '../paths.ts'
import type { Command, Io } from './command.ts'
import { fix } from './doctor-fix.ts'
import { examine } from './doctor-harness.ts'
import { allFindings, diagnosisLines, type Diagnosis } from './doctor-lines.ts'
import { examineServer, type ServerFacts } from './doctor-server.ts'
import { checkState, stateFileOf } from './doctor-state.ts'
import { instancesOf } from './setup-instances.ts'
import { HARNESSES } from './setup-options.ts'
import { readVersion } from './version.ts'

/** The span of the server's report. */
const MISSED_DAYS = 7

export const command: Command = {
  name: 'doctor',
  summary: 'Looks for what keeps rules from arriving, and says how to mend it.',
  usage: `contextmd doctor [--fix] [--json]
contextmd doctor --state [--json]

Looks at each harness (agent program) on this machine: its version, our hooks (there, unchanged, trusted, once), their token, our endpoint
for agents, what the agent may read, the hooks of others, moments that were missed. Sends a test moment through the installed hooks, as the
harness would run them; the server answers it and keeps nothing of it. Looks at the server: whether it runs and serves, where the hooks post to, its stores, its whole
state file, the disk. Changes nothing without --fix.

      --fix     mends what is safe to mend: sets up again what has changed, renews tokens, takes rights from others
      --state   looks through the state file only
      --json    the findings as JSON: {"findings": [{"id", "harness", "level", "what", "cure"}, ...]}

Exit code: 0 all is well or only to be looked at; 1 something is broken.`,
  async run(argv, io) {
    const options = { state: { type: 'boolean' }, fix: { type: 'boolean' }, json: { type: 'boolean' } } as const
    const { values } = parseArgs({ args: argv, options, allowPositionals: false })
    if (values.state === true) return await stateOnly(io, values.json === true)
    const folder = process.cwd()
    let diagnosis = await diagnose(io, folder)
    // what a setup says while it mends is not part of the JSON
    const told = values.json === true ? { ...io, stdout: io.stderr } : io
    if (values.fix === true && (await fix(allFindings(diagnosis), told, folder)) > 0) diagnosis = await diagnose(io, folder)
    const findings = allFindings(diagnosis)
    if (values.json === true) io.stdout.write(`${JSON.stringify({ findings }, null, 2)}\n`)
    else io.stdout.write(`${diagnosisLines(diagnosis).join('\n')}\n`)
    return findings.some(({ level }) => level === 'bad') ? 1 : 0
  },
}

/** `folder`: where the person stands: its project is looked at too. */
export async function diagnose(io: Io, folder: string): Promise<Diagnosis> {
  const paths = pathsFrom(io.env)
  const { tokens } = hookTokensIn(paths, () => Date.now())
  const server = await examineServer(io, paths, readVersion(), tokens)
  const isOurs = (port: number) => Promise.resolve(port === server.port)
  const at = { io, folder, tokens, isOurs, isServerThere: server.port !== null, missed: server.missed }
  const examined: { readonly facts: HarnessFacts; readonly instance: string | null }[] = []
  for (const harness of HARNESSES) {
    const facts = await examine(harness, at)
    if (facts !== null) examined.push({ facts, instance: null })
    for (const { own, home } of homesOf(harness, io)) {
      const more = await examine(harness, { ...at, io: own })
      if (more !== null) examined.push({ facts: more, instance: home })
    }
  }
  const environment = await environmentOf(io.env, folder)
  return {
    harnesses: examined.map(({ facts, instance }) => ({ facts, instance, findings: findingsOf(facts, environment, server) })),
    server: [
      ...server.findings,
      ...checkEnvironment(
        environment,
        examined.map(({ facts }) => facts),
      ),
      ...checkPrivate(paths, server.stateFile),
      checkDisk(paths),
    ],
  }
}

/** Homes that a host gives to its instances of a harness: each has settings of its own. */
function homesOf(harness: HarnessName, io: Io): readonly { readonly own: Io; readonly home: string }[] {
  const quiet: Io = { ...io, stdout: { write: () => true } }
  const variable = HOME_VARIABLES[harness]
  if (variable === undefined) return []
  return [...instancesOf(harness, quiet)].map((own) => ({ own, home: own.env[variable] ?? '' }))
}

function findingsOf(facts: HarnessFacts, environment: EnvironmentFacts, server: ServerFacts): readonly Finding[] {
  const { port, isInside } = server
  const hooks = checkHooks(facts)
  const agents = [...checkAgents(facts, port, isInside), ...checkExposed(facts)]
  if (!facts.setups.some(({ isThere }) => isThere)) return [checkVersion(facts), ...hooks, ...agents]
  return [
    checkVersion(facts),
    ...hooks,
    ...checkTrust(facts),
    ...checkTokens(facts, Date.now()),
    ...agents,
    ...checkAddress(facts, port),
    ...checkProbes(facts),
    ...checkProxy(facts, environment),
    ...checkReadable(facts),
    ...checkMissed(facts, MISSED_DAYS),
    ...checkOthers(facts),
  ]
}

async function environmentOf(env: NodeJS.ProcessEnv, folder: string): Promise<EnvironmentFacts> {
  const off = env['CONTEXTMD_OFF'] ?? ''
  return { client: await clientOf(env, folder), proxies: proxiesIn(env), isOff: !/^(|0|no|false|off)$/i.test(off) }
}

/** As the hook script chooses: GNU wget only, others can't read the token from a file. */
async function clientOf(env: NodeJS.ProcessEnv, folder: string): Promise<EnvironmentFacts['client']> {
  const has = (name: string): boolean => findProgram(name, env['PATH']) !== null
  if (has('curl')) return 'curl'
  if (has('wget')) {
    const ended = await runProcess({ program: 'wget', args: ['--version'], env, folder, input: '', limitMs: 5_000 })
    if (ended.state === 'ended' && ended.exitCode === 0) return 'wget'
  }
  return has('node') ? 'node' : null
}

async function stateOnly(io: Io, isJson: boolean): Promise<number> {
  const state = await stateFileOf(pathsFrom(io.env))
  const found = await checkState(io, state)
  if (isJson) io.stdout.write(`${JSON.stringify({ check: found }, null, 2)}\n`)
  else if (found.length === 0) io.stdout.write(`${state}: all is well\n`)
  for (const { severity, message, cure, file } of isJson ? [] : found)
    io.stdout.write(`${severity}: ${file === undefined ? '' : `${file}: `}${message}\n  ${cure}\n`)
  return found.some(({ severity }) => severity === 'error') ? 1 : 0
}
