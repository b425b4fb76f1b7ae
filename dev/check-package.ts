/** Packs the package as it would be published, and looks at what is in it: nothing missing, nothing that users do not need. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { problemsInHosts } from './hosts-that-mount.ts'

const MUST_HAVE = [
  'bin/contextmd.js',
  'dist/index.js',
  'dist/index.d.ts',
  'dist/cli/main.js',
  'dist/harness/opencode/plugin.bundle.js',
  'dist/mount/t3code/stable.js',
  'dist/mount/t3code/stable.d.ts',
  'dist/mount/t3code/preview.js',
  'dist/mount/t3code/preview.d.ts',
  'hooks/contextmd-hook.sh',
  'LICENSE',
  'README.md',
]
const MUST_NOT_HAVE = /(^|\/)(test|canary|bench|soak|dev|node_modules|\.ci)\/|\.test\.|\.fixture\.|fixtures\/|\.tsbuildinfo$/

const root = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'contextmd-pack-'))
const problems: string[] = []
try {
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))
  if (tarball === undefined) throw new Error('npm pack wrote nothing')
  const files = execFileSync('tar', ['-tzf', join(folder, tarball)], { encoding: 'utf8' })
    .split('\n')
    .filter((name) => name !== '')
    .map((name) => name.replace(/^package\//, ''))
  for (const name of MUST_HAVE) if (!files.includes(name)) problems.push(`missing in the package: ${name}`)
  for (const name of files) if (MUST_NOT_HAVE.test(name)) problems.push(`not needed in the package: ${name}`)
  problems.push(...problemsInHosts(root, join(folder, tarball), folder))
  const { messages, pkg } = await publint({ pkgDir: root, strict: true })
  for (const message of messages) problems.push(formatMessage(message, pkg) ?? message.code)
  console.log(`package: ${files.length} files`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1
