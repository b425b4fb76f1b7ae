/** All commands by name. Each is loaded when it is asked for, so that a short command does not pay for the long ones. */
import type { Command } from './command.ts'

const COMMANDS: Readonly<Record<string, () => Promise<{ readonly command: Command }>>> = {
  serve: () => import('./serve.ts'),
  service: () => import('./service.ts'),
  run: () => import('./run-command.ts'),
  setup: () => import('./setup.ts'),
  remove: () => import('./remove.ts'),
  log: () => import('./log.ts'),
  report: () => import('./report.ts'),
  threads: () => import('./threads.ts'),
  forget: () => import('./forget.ts'),
  health: () => import('./health.ts'),
  doctor: () => import('./doctor.ts'),
  off: () => import('./off.ts'),
  on: () => import('./on.ts'),
  lift: () => import('./lift.ts'),
  new: () => import('./new.ts'),
  lint: () => import('./lint.ts'),
  test: () => import('./test.ts'),
  try: () => import('./try.ts'),
  why: () => import('./why.ts'),
  seams: () => import('./seams.ts'),
  trust: () => import('./trust.ts'),
  token: () => import('./token.ts'),
  demo: () => import('./demo.ts'),
}

const ALIASES: Readonly<Record<string, string>> = { status: 'health' }

export const COMMAND_NAMES: readonly string[] = Object.keys(COMMANDS)
/** All words that name a command. */
export const WORDS: readonly string[] = [...COMMAND_NAMES, ...Object.keys(ALIASES)]

/** Null if there is no such command. */
export async function loadCommand(name: string): Promise<Command | null> {
  const real = ALIASES[name] ?? name
  if (!Object.hasOwn(COMMANDS, real)) return null
  const module = await COMMANDS[real]?.()
  return module?.command ?? null
}
