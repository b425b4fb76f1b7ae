/** Installs the packed package into hosts of both generations of Effect, as far as that shows: the one import and the one entry load and type-check. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const GENERATIONS = [
  { entry: 'contextmd/t3code', http: 'effect/http', effect: 'node_modules/effect' },
  { entry: 'contextmd/t3code-preview', http: 'effect/unstable/http', effect: 'dev/effect-preview/node_modules/effect' },
] as const

/** Gives what is wrong, nothing if all is well. `folder` is for scratch files. */
export function problemsInHosts(root: string, tarball: string, folder: string): readonly string[] {
  return GENERATIONS.flatMap((generation) => {
    const host = join(folder, generation.entry.replace('/', '-'))
    const modules = join(host, 'node_modules')
    mkdirSync(join(modules, 'contextmd'), { recursive: true })
    execFileSync('tar', ['-xzf', tarball, '-C', join(modules, 'contextmd'), '--strip-components=1'])
    symlinkSync(join(root, generation.effect), join(modules, 'effect'))
    writeFileSync(join(host, 'package.json'), '{ "type": "module" }')
    writeFileSync(join(host, 'server.ts'), serverOf(generation))
    const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2023', '--types', '']
    const loading = `const { contextmd } = await import('${generation.entry}'); if (typeof contextmd() !== 'object') process.exit(1)`
    return [
      ...problemOf(`${generation.entry} does not type-check in a host`, [compiler, ...options, 'server.ts'], host),
      ...problemOf(`${generation.entry} does not load in a host`, ['--input-type=module', '-e', loading], host),
    ]
  })
}

function serverOf({ entry, http }: (typeof GENERATIONS)[number]): string {
  return `import { Layer } from 'effect'
import { HttpRouter, HttpServerResponse } from '${http}'
import { contextmd } from '${entry}'

export const layerMakeRoutes: Layer.Layer<never, never, HttpRouter.HttpRouter> = Layer.mergeAll(
  HttpRouter.add('GET', '/', HttpServerResponse.text('host')),
  contextmd(),
)
`
}

function problemOf(what: string, argv: readonly string[], cwd: string): readonly string[] {
  try {
    execFileSync(process.execPath, argv, { cwd, encoding: 'utf8', stdio: 'pipe' })
    return []
  } catch (error) {
    const said = error instanceof Error && 'stdout' in error && 'stderr' in error ? `${String(error.stdout)}${String(error.stderr)}` : ''
    return [`${what}: ${said.trim()}`]
  }
}
