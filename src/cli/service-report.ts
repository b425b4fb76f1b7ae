/** What `contextmd service` says. */
import type { Paths } from '../paths.ts'
import type { ServerFile, StartedAs } from '../server/server-file.ts'
import type { Found } from '../service/find.ts'
import { isInstalled, type Managed, type ServicePlan, type ServiceRemoved } from '../service/install.ts'
import { asTyped, makeCall, type Manager } from '../service/manager.ts'
import { readStartFile } from '../service/start-file.ts'
import type { Started } from '../service/start-once.ts'

export function installedLines({ manager, text, before }: ServicePlan, managed: Managed, found: Found): string {
  const isTerminal = found.state === 'ours' && found.file.startedAs === 'terminal'
  const isHost = found.state === 'ours' && found.file.startedAs === 'host'
  return lines([
    `${text === before ? 'Already there' : before === null ? 'Written' : 'Renewed'}: ${manager.file}`,
    ...managedLines(managed, `${manager.name} runs it from now on, and at each login.`, 'Type this where your session runs:'),
    ...(isTerminal
      ? [
          `A server of yours runs in a terminal (process ${found.file.pid}) and has the state. End it with Ctrl+C, then: ${asTyped(manager.wake)}`,
        ]
      : []),
    ...(isHost
      ? [`ContextMD is also a part of a host (process ${found.file.pid}). While this server runs, hooks post here and not there.`]
      : []),
  ])
}

export function removedLines(removed: ServiceRemoved): string {
  switch (removed.state) {
    case 'nothing':
      return lines(['No service of ours is installed.'])
    case 'foreign':
      return lines([`${removed.file} is not ours, so it stays.`])
    case 'removed':
      return lines([
        `Deleted: ${removed.file}`,
        ...managedLines(removed.managed, 'The service has ended.', 'If it runs, type this where your session runs:'),
      ])
    default:
      return removed satisfies never
  }
}

export function startedLine(started: Exclude<Started, { readonly state: 'failed' }>): string {
  switch (started.state) {
    case 'running':
      return lines([
        `It runs already, at ${started.file.address} (version ${started.file.version})${started.file.startedAs === 'host' ? `, as a part of a host (process ${started.file.pid}): hooks post there` : ''}.`,
      ])
    case 'outdated':
      return lines([
        `It runs already, at ${started.file.address}, but is older (version ${started.file.version}): the service manager runs another package.`,
        'To have it run this one: contextmd service install',
      ])
    case 'starting':
      return lines(['It is being started at this moment.'])
    case 'started':
      return lines([
        ...(started.replaced === null ? [] : [`The server of version ${started.replaced} has ended.`]),
        `ContextMD serves at ${started.file.address}, in the background.`,
      ])
    default:
      return started satisfies never
  }
}

const STARTED_AS: Readonly<Record<StartedAs, string>> = {
  terminal: 'in a terminal',
  service: 'by the service manager',
  background: 'in the background; it ends itself when idle',
  command: 'for one command (contextmd run)',
  host: 'as a part of a host (T3 Code, Chromeria)',
}

/** Why it is not ended. */
export function insideLine({ address, pid }: Pick<ServerFile, 'address' | 'pid'>): string {
  return `ContextMD at ${address} is a part of a host (process ${pid}), which is not ended: your agents run in it. Stop the host itself, or take ContextMD out of it`
}

interface Status {
  readonly paths: Paths
  readonly manager: Manager | null
  readonly found: Found
  readonly env: NodeJS.ProcessEnv
}

export function statusLines({ paths, manager, found, env }: Status): string {
  return lines([
    `server   ${serverText(found)}`,
    `service  ${serviceText(manager, env)}`,
    `hooks    ${readStartFile(paths) === null ? 'do not start the server' : 'start the server where it does not run'}`,
    `log      ${paths.log}`,
  ])
}

function serverText(found: Found): string {
  switch (found.state) {
    case 'none':
      return 'does not run'
    case 'unproven':
      return `what listens at ${found.file.address} can't show that it is ours: process ${found.file.pid} hangs, or another program has its port`
    case 'ours': {
      const { address, pid, version, startedAt, startedAs } = found.file
      return `${address}, process ${pid}, version ${version}, since ${new Date(startedAt).toLocaleString()}, started ${STARTED_AS[startedAs]}`
    }
    default:
      return found satisfies never
  }
}

function serviceText(manager: Manager | null, env: NodeJS.ProcessEnv): string {
  if (manager === null) return 'there is no service manager here that ContextMD knows'
  if (!isInstalled(manager)) return `not installed (${manager.name})`
  return `${manager.file} is installed, ${makeCall(manager.look, env).ok ? 'and runs' : 'and does not run'}`
}

function managedLines(managed: Managed, done: string, toType: string): readonly string[] {
  if (managed.state === 'done') return [done]
  return [`${managed.why}. ${toType}`, ...managed.calls.map((call) => `  ${call}`)]
}

function lines(all: readonly string[]): string {
  return `${all.join('\n')}\n`
}
