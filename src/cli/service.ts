/** `contextmd service`: who keeps the server running, and whether it runs. */
import { parseArgs } from 'node:util'
import { pathsFrom, type Paths } from '../paths.ts'
import { findServer, PATIENT_PROOF_MS } from '../service/find.ts'
import { installService, isInstalled, planService, removeService, runsOwnProgram, wakeService } from '../service/install.ts'
import { asTyped, managerOf, type Manager } from '../service/manager.ts'
import { cleanEnvironment, isPassing, ownProgram } from '../service/program.ts'
import { startOnce } from '../service/start-once.ts'
import { stopServer } from '../service/stop.ts'
import { nearest } from '../stores/nearest.ts'
import { CommandError, type Command, type Io } from './command.ts'
import { insideLine, installedLines, removedLines, startedLine, statusLines } from './service-report.ts'
import { readVersion } from './version.ts'

const ACTIONS = ['install', 'remove', 'status', 'start', 'stop'] as const
type Action = (typeof ACTIONS)[number]

export const command: Command = {
  name: 'service',
  summary: 'Keeps the server running: by the service manager, or in the background.',
  usage: `contextmd service install|remove|status|start|stop [--dry-run]

install  puts the server into the hands of your service manager (systemd or launchd): it runs from now on, at each login, and again
         after a failure. Where the manager can't be reached from here, the file is written and the commands are printed
remove   takes that back
status   tells whether the server runs, who started it, and who would. Exit code: 0 if it runs, else 1
start    starts it in the background if it does not run. A server of an older version is ended first. It ends itself after 7 days
         without a moment. Hooks do the same at the start of a session, unless you set up with --no-autostart
stop     ends the server, whoever started it; but not a host that has ContextMD inside

      --dry-run   install and remove: shows what would be done`,
  run: (argv, io) => runService(argv, io, process.platform),
}

export async function runService(argv: string[], io: Io, platform: NodeJS.Platform): Promise<number> {
  const { values, positionals } = parseArgs({ args: argv, options: { 'dry-run': { type: 'boolean' } }, allowPositionals: true })
  const action = actionIn(positionals)
  const isDry = values['dry-run'] === true
  if (isDry && action !== 'install' && action !== 'remove') throw new CommandError('usage', `--dry-run does not go with ${action}`)
  const at = { paths: pathsFrom(io.env), manager: managerOf(platform, io.env), io }
  switch (action) {
    case 'install':
      return await install(at, isDry)
    case 'remove':
      return remove(at, isDry)
    case 'status':
      return await status(at)
    case 'start':
      return await start(at)
    case 'stop':
      return await stop(at)
    default:
      return action satisfies never
  }
}

interface At {
  readonly paths: Paths
  readonly manager: Manager | null
  readonly io: Io
}

async function install({ paths, manager, io }: At, isDry: boolean): Promise<number> {
  if (manager === null)
    throw new CommandError('failed', 'there is no service manager here that ContextMD knows: hooks start the server by themselves')
  if (isPassing(ownProgram()))
    throw new CommandError('failed', `${ownProgram().launcher} lies in a cache that is emptied some day: install ContextMD first`)
  const plan = planService(manager, paths, io.env)
  if (plan.isForeign)
    throw new CommandError('failed', `${manager.file} is there and is not ours: nothing was changed. Move it away and run this again`)
  if (isDry) {
    const calls = manager.start.map((call) => `  ${asTyped(call)}\n`).join('')
    io.stdout.write(`Would write ${manager.file}:\n\n${plan.text}\nWould then run:\n${calls}Nothing was written.\n`)
    return 0
  }
  const found = await findServer(paths, PATIENT_PROOF_MS)
  // it has the state that the service needs
  if (found.state === 'ours' && found.file.startedAs === 'background') await stopServer(paths, found.file)
  const managed = installService(plan, io.env)
  io.stdout.write(installedLines(plan, managed, found))
  return 0
}

function remove({ manager, io }: At, isDry: boolean): number {
  if (isDry && manager !== null && isInstalled(manager)) {
    const calls = manager.stop.map((call) => `  ${asTyped(call)}\n`).join('')
    io.stdout.write(`Would run:\n${calls}Would delete ${manager.file}\nNothing was changed.\n`)
    return 0
  }
  const removed = removeService(manager, io.env)
  io.stdout.write(removedLines(removed))
  return removed.state === 'foreign' ? 1 : 0
}

async function status({ paths, manager, io }: At): Promise<number> {
  const found = await findServer(paths, PATIENT_PROOF_MS)
  io.stdout.write(statusLines({ paths, manager, found, env: io.env }))
  return found.state === 'ours' ? 0 : 1
}

async function start({ paths, manager, io }: At): Promise<number> {
  const { node, launcher } = ownProgram()
  const started = await startOnce({
    paths,
    version: readVersion(),
    command: [node, launcher, 'serve', '--as', 'background'],
    env: cleanEnvironment(io.env),
    wake: () => wakeService(manager, io.env),
    isServiceOurs: () => runsOwnProgram(manager),
  })
  if (started.state === 'failed') throw new CommandError('failed', `the server could not be started: ${started.why}`)
  io.stdout.write(startedLine(started))
  return 0
}

async function stop({ paths, io }: At): Promise<number> {
  const found = await findServer(paths, PATIENT_PROOF_MS)
  if (found.state === 'ours' && found.file.startedAs === 'host') throw new CommandError('failed', insideLine(found.file))
  if (found.state === 'ours' && !(await stopServer(paths, found.file)))
    throw new CommandError('failed', `the server (process ${found.file.pid}) does not end`)
  io.stdout.write(found.state === 'ours' ? `The server at ${found.file.address} has ended.\n` : 'No server of ours runs here.\n')
  return 0
}

function actionIn(words: readonly string[]): Action {
  const [word, ...more] = words
  if (more.length > 0) throw new CommandError('usage', `"${more[0]}" is one word too many`)
  const action = ACTIONS.find((known) => known === word)
  if (action !== undefined) return action
  const list = ACTIONS.join(', ')
  if (word === undefined) throw new CommandError('usage', `service what? One of: ${list}`)
  const meant = nearest(word, ACTIONS)
  throw new CommandError('usage', `service takes ${list}, not "${word}"${meant === null ? '' : `: did you mean ${meant}?`}`)
}
