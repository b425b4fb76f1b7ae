/** For tests of the commands for authors: a home folder with a store, and the real command line. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { runCommandLine } from './run.ts'
import type { Ran } from './run.fixture.ts'

export class Author {
  readonly home = realpathSync(mkdtempSync(join(tmpdir(), 'contextmd-author-')))
  readonly env = { HOME: this.home, XDG_CONFIG_HOME: join(this.home, '.config'), XDG_DATA_HOME: join(this.home, 'data') }
  readonly rules = join(this.home, '.config', 'contextmd', 'rules')
  /** What the person answers, in this order; without answers there is no terminal. */
  answers: string[] | null = null

  constructor(rules: Readonly<Record<string, string>> = {}) {
    mkdirSync(this.rules, { recursive: true })
    for (const [name, text] of Object.entries(rules)) this.write(`.config/contextmd/rules/${name}.md`, text)
  }

  /** Below the home folder. Gives the path. */
  write(path: string, text: string): string {
    const file = join(this.home, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    return file
  }

  git(folder: string, ...argv: readonly string[]): void {
    const env = {
      ...process.env,
      HOME: this.home,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'a',
      GIT_AUTHOR_EMAIL: 'a@b',
      GIT_COMMITTER_NAME: 'a',
      GIT_COMMITTER_EMAIL: 'a@b',
    }
    execFileSync('git', argv, { cwd: join(this.home, folder), env, stdio: 'pipe' })
  }

  async run(...argv: readonly string[]): Promise<Ran> {
    let out = ''
    let err = ''
    const { answers } = this
    const ask = (question: string): Promise<string> => {
      err += question
      return Promise.resolve(answers?.shift() ?? '')
    }
    const stdout = { write: (text: string) => (out += text) }
    const stderr = { write: (text: string) => (err += text) }
    const code = await runCommandLine(argv, { stdout, stderr, env: this.env, ...(answers === null ? {} : { ask }) })
    return { code, out, err }
  }

  [Symbol.dispose](): void {
    rmSync(this.home, { recursive: true, force: true })
  }
}

export const FORCE = '---\ntitle: Force push\nforbid: true\nwhen:\n  - command: git push --force\n---\nUse --force-with-lease.\n'
export const COMMITS = '---\ntitle: Commits\nmust-know: true\nwhen:\n  - command: git commit\n---\nOne change a commit.\n'
export const FAILS = '---\ntitle: Fails\nwhen:\n  - command: npm test\n    failed: true\n---\nRead the first failure.\n'
