/**
 * A row's own corner of the disk: home folder, project under git, store of entries, state of our server. Nothing of the person's is read or written.
 */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

export interface Place {
  readonly root: string
  readonly home: string
  /** The harness's settings and records. */
  readonly harnessConfig: string
  readonly project: string
  /** Where the row's entries are. */
  readonly store: string
  readonly data: string
  /** What every process of the row starts from. */
  readonly env: Readonly<Record<string, string>>
  /** Writes an entry and returns its file. */
  entry(name: string, text: string): Promise<string>
  /** Writes a file and its folders, and returns its path. */
  write(path: string, text: string): Promise<string>
  remove(): Promise<void>
}

export async function makePlace(env: NodeJS.ProcessEnv): Promise<Place> {
  // Real: the program resolves symlinks before it names a path, e.g. the temporary folder of macOS.
  const root = await realpath(await mkdtemp(join(tmpdir(), 'contextmd-canary-')))
  const at = (name: string): string => join(root, name)
  const place: Place = {
    root,
    home: at('home'),
    harnessConfig: at('harness-config'),
    project: at('project'),
    store: at('rules'),
    data: at('data'),
    env: {
      PATH: env['PATH'] ?? '',
      HOME: at('home'),
      TMPDIR: at('tmp'),
      LANG: 'C.UTF-8',
      CONTEXTMD_DATA: at('data'),
      CONTEXTMD_SERVING_CONFIG: at('serving.json'),
    },
    entry: (name, text) => put(join(at('rules'), `${name}.md`), text),
    write: put,
    remove: () => rm(root, { recursive: true, force: true, maxRetries: 3 }),
  }
  for (const folder of [place.home, place.harnessConfig, place.project, place.store, at('tmp')]) await mkdir(folder, { recursive: true })
  await promisify(execFile)('git', ['init', '--quiet', '--initial-branch=main', place.project], { env: place.env })
  await put(join(place.project, 'README.md'), '# Sample project\n')
  await writeFile(at('serving.json'), JSON.stringify({ stores: [{ name: 'rules', folder: place.store }] }))
  return place
}

async function put(path: string, text: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
  return path
}
