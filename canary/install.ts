/**
 * Brings one exact version of a harness onto this machine, into a cache folder outside the checkout.
 *
 * Only ever through `npm` and by package name; its install scripts do not run, and it gets a home folder of its own. What is in the cache is used
 * as it is, without the network.
 */
import { spawn } from 'node:child_process'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, statfs, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress } from 'node:zlib'

/** Claude Code unpacks to 384 MB, Codex to 424 MB; while npm works the packed form lies beside it. */
const MIN_FREE_BYTES = 1.5 * 1024 ** 3
/** npm on a slow line. */
const INSTALL_TIMEOUT_MS = 10 * 60_000
/** A second; on a busy machine, with the program not in memory yet, far longer. */
const VERSION_TIMEOUT_MS = 120_000
/** Enough of npm's own words to see what is wrong. */
const MAX_ERROR_CHARS = 2_000

export interface HarnessPackage {
  /** Folder name in the cache. */
  readonly name: string
  readonly npmName: string
  readonly version: string
  /** Where the program may lie, relative to `node_modules`; the first that is there counts. */
  readonly programs: readonly string[]
  /** The program as it is packed, with Brotli, and where it goes; both relative to `node_modules`. Its own install script would write into the home. */
  readonly packed?: { readonly from: string; readonly to: string }
}

export interface InstalledHarness {
  readonly program: string
  readonly version: string
}

export class InstallError extends Error {
  override readonly name = 'InstallError'
  readonly code: 'no_space' | 'npm_failed' | 'no_program' | 'wrong_version'
  constructor(code: InstallError['code'], message: string) {
    super(message)
    this.code = code
  }
}

/** `$CONTEXTMD_CANARY_CACHE`, or a folder in the user's cache. */
export function cacheFolder(env: NodeJS.ProcessEnv): string {
  const home = env['HOME'] || homedir()
  return resolve(env['CONTEXTMD_CANARY_CACHE'] || join(env['XDG_CACHE_HOME'] || join(home, '.cache'), 'contextmd-canary'))
}

/** The version that the registry calls the latest. Throws an `InstallError`. */
export async function latestVersion(npmName: string, env: NodeJS.ProcessEnv): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'contextmd-canary-npm-'))
  try {
    const npm = await run('npm', ['view', `${npmName}@latest`, 'version', '--loglevel=error'], npmEnv(env, home), home, VERSION_TIMEOUT_MS)
    const version = npm.output.trim()
    if (npm.code === 0 && /^\d+\.\d+\.\d+\S*$/.test(version)) return version
    throw new InstallError('npm_failed', `npm could not tell the latest ${npmName}: ${version.slice(-MAX_ERROR_CHARS)}`)
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

/** Finds the program in the cache or installs it there. Throws an `InstallError`. */
export async function installHarness(
  wanted: HarnessPackage,
  env: NodeJS.ProcessEnv,
  progress: (line: string) => void,
): Promise<InstalledHarness> {
  const folder = join(cacheFolder(env), wanted.name, wanted.version)
  if (!existsSync(folder)) await fill(folder, wanted, env, progress)
  const program = wanted.programs.map((path) => join(folder, 'node_modules', path)).find((path) => existsSync(path))
  if (program === undefined)
    throw new InstallError(
      'no_program',
      `${wanted.npmName}@${wanted.version} has no program for this platform. Delete ${folder} and try again.`,
    )
  const printed = await run(program, ['--version'], bareEnv(env, folder), folder, VERSION_TIMEOUT_MS)
  if (printed.code !== 0 || !printed.output.includes(wanted.version))
    throw new InstallError(
      'wrong_version',
      `${program} --version said "${printed.output.trim().slice(0, 200)}" (exit code ${printed.code}), not ${wanted.version}.`,
    )
  progress(`${wanted.npmName}@${wanted.version} is at ${folder}`)
  return { program, version: wanted.version }
}

/** Installs beside the final place and moves the whole there, so that a broken install never looks like a good one. */
async function fill(folder: string, wanted: HarnessPackage, env: NodeJS.ProcessEnv, progress: (line: string) => void): Promise<void> {
  await mkdir(dirname(folder), { recursive: true })
  const { bavail, bsize } = await statfs(dirname(folder))
  if (bavail * bsize < MIN_FREE_BYTES)
    throw new InstallError('no_space', `${dirname(folder)} has ${gib(bavail * bsize)} GiB free; ${gib(MIN_FREE_BYTES)} are needed.`)
  progress(`installing ${wanted.npmName}@${wanted.version} (about 400 MB) …`)
  const home = await mkdtemp(join(tmpdir(), 'contextmd-canary-npm-'))
  const filling = await mkdtemp(`${folder}.part-`)
  try {
    await writeFile(join(filling, 'package.json'), '{"private":true}\n')
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--engine-strict=false', '--loglevel=error']
    const npm = await run(
      'npm',
      ['install', ...flags, `${wanted.npmName}@${wanted.version}`],
      npmEnv(env, home),
      filling,
      INSTALL_TIMEOUT_MS,
    )
    if (npm.code !== 0) throw new InstallError('npm_failed', `npm could not install it: ${npm.output.trim().slice(-MAX_ERROR_CHARS)}`)
    if (wanted.packed !== undefined) await unpack(join(filling, 'node_modules'), wanted.packed)
    await rename(filling, folder).catch((error: unknown) => {
      // Another canary was quicker: what it installed is as good.
      if (!existsSync(join(folder, 'node_modules'))) throw error
    })
  } finally {
    await rm(filling, { recursive: true, force: true })
    await rm(home, { recursive: true, force: true })
  }
}

async function unpack(folder: string, { from, to }: NonNullable<HarnessPackage['packed']>): Promise<void> {
  const program = createWriteStream(join(folder, to), { mode: 0o755 })
  await pipeline(createReadStream(join(folder, from)), createBrotliDecompress(), program)
  await rm(join(folder, from))
}

/** npm's own variables of an enclosing `npm run` would point it at this project; the person's npm settings still count. */
function npmEnv(env: NodeJS.ProcessEnv, home: string): NodeJS.ProcessEnv {
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => !name.toLowerCase().startsWith('npm_')))
  const settings = env['npm_config_userconfig'] || env['NPM_CONFIG_USERCONFIG'] || join(env['HOME'] || homedir(), '.npmrc')
  return { ...own, HOME: home, npm_config_userconfig: settings }
}

function bareEnv(env: NodeJS.ProcessEnv, home: string): NodeJS.ProcessEnv {
  return { PATH: env['PATH'], HOME: home, DISABLE_AUTOUPDATER: '1' }
}

interface Ran {
  readonly code: number | null
  readonly output: string
}

function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv, cwd: string, timeout: number): Promise<Ran> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd, env, timeout, stdio: ['ignore', 'pipe', 'pipe'] })
    const chunks: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.on('error', (error) => resolve({ code: null, output: error.message }))
    child.on('close', (code) => resolve({ code, output: Buffer.concat(chunks).toString('utf8') }))
  })
}

function gib(bytes: number): string {
  return (bytes / 1024 ** 3).toFixed(1)
}
