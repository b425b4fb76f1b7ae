/**
 * Programs that run another command given in their own words: what that command is.
 *
 * In: a program and its words. Out: the commands inside, as words or as the text of a script. Nothing when there is none, or when
 * it can't be told where it begins. Facts from the manuals of each program.
 */
import { optionsOf } from './options.ts'
import type { ShellWord } from './word.ts'

export type Inner = { readonly kind: 'words'; readonly words: readonly ShellWord[] } | { readonly kind: 'script'; readonly text: string }

interface Wrapper {
  /** Options whose value is the next word. */
  readonly values?: string
  /** Words of its own between the options and the command. */
  readonly own?: number
  /** `NAME=value` words may stand before the command. */
  readonly assigns?: boolean
  /** Options whose value is the command, as one text. */
  readonly script?: string
  /** The rest is joined and given to a shell. */
  readonly joins?: boolean
  /** Options with which it runs nothing. */
  readonly inert?: string
  /** The program's version or tag behind `@` is no part of its name. */
  readonly versions?: boolean
}

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  sudo: {
    values: '-u --user -g --group -h --host -p --prompt -C --close-from -T --command-timeout -D --chdir -R --chroot -U -r -t',
    assigns: true,
    inert: '-l --list -v --validate -k -K -e --edit',
  },
  doas: { values: '-u -C' },
  env: { values: '-u --unset -C --chdir', assigns: true, script: '-S --split-string' },
  command: { inert: '-v -V' },
  builtin: {},
  exec: { values: '-a' },
  eval: { joins: true },
  time: { values: '-f --format -o --output' },
  nohup: {},
  nice: { values: '-n --adjustment' },
  ionice: { values: '-c --class -n --classdata', inert: '-p --pid' },
  chrt: { own: 1 },
  taskset: { own: 1, inert: '-p --pid' },
  timeout: { values: '-s --signal -k --kill-after', own: 1 },
  gtimeout: { values: '-s --signal -k --kill-after', own: 1 },
  setsid: {},
  stdbuf: { values: '-i --input -o --output -e --error' },
  unbuffer: {},
  chronic: {},
  caffeinate: { values: '-t -w' },
  strace: { values: '-o -e -p -s -u -E -P' },
  flock: { values: '-w --timeout -E --conflict-exit-code', own: 1, script: '-c --command' },
  chroot: { values: '--userspec --groups', own: 1 },
  busybox: {},
  watch: { values: '-n --interval', joins: true },
  parallel: { values: '-j --jobs -a --arg-file --delay --timeout --joblog -S --sshlogin' },
  xargs: {
    values:
      '-a --arg-file -d --delimiter -E -I -L -n --max-args -P --max-procs -s --max-chars --process-slot-var --replace --max-lines -R -J',
  },
  'cross-env': { assigns: true },
  dotenv: { values: '-e -v -p' },
  dotenvx: { own: 1, values: '-f --env-file' },
  npx: { values: '-p --package -w --workspace --node-arg -n', script: '-c --call', versions: true },
  pnpx: { values: '-p --package', versions: true },
  bunx: { values: '-p --package', versions: true },
  uvx: { values: '--from --with --python -p', versions: true },
  script: { script: '-c --command', own: 1 },
  su: { script: '-c --command', own: 1, values: '-s --shell -g --group' },
}

/** Wrappers that are a command of a larger program. */
const WRAPPER_COMMANDS: Readonly<Record<string, Readonly<Record<string, Wrapper>>>> = {
  npm: {
    exec: { values: '-p --package -w --workspace', script: '-c --call', versions: true },
    x: { values: '-p --package', versions: true },
  },
  pnpm: { exec: {}, dlx: { values: '--package', versions: true } },
  yarn: { exec: {}, dlx: { values: '-p --package', versions: true } },
  bun: { x: { versions: true } },
  uv: { run: { values: '--with --python -p --env-file --directory --project --extra --group --package --index-url' } },
  poetry: { run: {} },
  pipenv: { run: {} },
  pdm: { run: {} },
  rye: { run: {} },
  bundle: { exec: {} },
  mise: { exec: {}, x: {} },
  direnv: { exec: { own: 1 } },
  op: { run: { values: '--env-file --account' } },
  doppler: { run: { values: '-p --project -c --config', script: '--command' } },
}

export const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh', 'ash'])
/** Options of shells whose value is the next word. */
const SHELL_VALUES = '-o +o -O +O --rcfile --init-file'

export function innerOf(program: string, words: readonly ShellWord[]): readonly Inner[] {
  if (SHELLS.has(program)) return shellScript(words)
  if (program === 'find') return findCommands(words, /^-(exec|execdir|ok|okdir)$/)
  if (program === 'fd' || program === 'fdfind') return findCommands(words, /^(-x|-X|--exec|--exec-batch)$/)
  if (/^python[\d.]*$/.test(program)) return pythonModule(words)
  if (program === 'trap') return words[0]?.shown && !words[0].shown.startsWith('-') ? [{ kind: 'script', text: words[0].shown }] : []
  const wrapper = Object.hasOwn(WRAPPERS, program) ? WRAPPERS[program] : undefined
  if (wrapper) return wrapped(wrapper, words)
  const commands = Object.hasOwn(WRAPPER_COMMANDS, program) ? WRAPPER_COMMANDS[program] : undefined
  return commands ? wrappedByCommand(program, commands, words) : []
}

/** Where a shell reads its script from when it was given none as an argument: true if from its input. */
export function readsScriptFromInput(program: string, words: readonly ShellWord[]): boolean {
  if (!SHELLS.has(program)) return false
  const start = afterOptions(words, 0, SHELL_VALUES)
  if (words.some((word) => word.exact && /^-\w*c$/.test(word.value))) return false
  const script = start === null ? undefined : words[start]
  return script === undefined || script.value === '-' || words.some((word) => word.value === '-s') || script.value === '/dev/stdin'
}

function shellScript(words: readonly ShellWord[]): readonly Inner[] {
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at]
    if (!word || !/^[-+]/.test(word.value)) return []
    if (SHELL_VALUES.split(' ').includes(word.value)) at += 1
    else if (/^-[a-zA-Z]*c[a-zA-Z]*$/.test(word.value)) {
      const start = afterOptions(words, at + 1, SHELL_VALUES)
      const script = start === null ? undefined : words[start]
      return script ? [{ kind: 'script', text: script.shown }] : []
    }
  }
  return []
}

function wrapped(wrapper: Wrapper, words: readonly ShellWord[]): readonly Inner[] {
  const script = scriptOf(wrapper, words)
  if (script) return [{ kind: 'script', text: script.shown }]
  let at = afterOptions(words, 0, wrapper.values, wrapper.inert)
  if (at === null) return []
  while (wrapper.assigns && /^\w+=/.test(words[at]?.value ?? '')) at += 1
  at += wrapper.own ?? 0
  if (wrapper.own && words[at]?.value === '--') at += 1
  const rest = words.slice(at)
  const first = rest[0]
  if (!first) return []
  if (wrapper.joins) return [{ kind: 'script', text: rest.map((word) => word.shown).join(' ') }]
  if (!wrapper.versions) return [{ kind: 'words', words: rest }]
  const name = first.value.replace(/(?!^)@[^/]*$/, '')
  return [{ kind: 'words', words: [{ ...first, value: name, shown: name }, ...rest.slice(1)] }]
}

function wrappedByCommand(program: string, commands: Readonly<Record<string, Wrapper>>, words: readonly ShellWord[]): readonly Inner[] {
  const known = optionsOf(program)
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at]
    if (!word?.exact) return []
    if (word.value.startsWith('-')) {
      const value = known.find(word.value)?.value
      if (value === 'next' || value === 'either') at += 1
      continue
    }
    const wrapper = Object.hasOwn(commands, word.value) ? commands[word.value] : undefined
    return wrapper ? wrapped(wrapper, words.slice(at + 1)) : []
  }
  return []
}

/** Index of the first word that is no option and no option's value; null if it can't be told, or if the program then runs nothing. */
function afterOptions(words: readonly ShellWord[], from: number, values = '', inert = ''): number | null {
  const taking = values.split(' ')
  const idle = inert.split(' ')
  for (let at = from; at < words.length; at += 1) {
    const word = words[at]
    if (!word || word.splits) return null
    if (!/^[-+]./.test(word.value)) return at
    if (word.value === '--') return at + 1
    if (inert && idle.includes(word.value)) return null
    if (taking.includes(word.value) || isBundleTaking(word.value, taking)) at += 1
  }
  return words.length
}

/** `-xI {}`: the last letter of a bundle takes the next word. `-I{}` holds its value itself. */
function isBundleTaking(word: string, taking: readonly string[]): boolean {
  if (!/^-[a-zA-Z]{2,4}$/.test(word)) return false
  const letters = word
    .slice(1)
    .split('')
    .map((letter) => taking.includes(`-${letter}`))
  return letters.indexOf(true) === letters.length - 1
}

/** The value of an option whose value is the command as one text. It may stand behind the wrapper's own words: `flock FILE -c TEXT`. */
function scriptOf({ script, values = '', own = 0 }: Wrapper, words: readonly ShellWord[]): ShellWord | undefined {
  if (!script) return undefined
  const taking = values.split(' ')
  let positional = 0
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at]
    if (!word) return undefined
    for (const name of script.split(' ')) {
      if (word.value === name) return words[at + 1]
      if (name.startsWith('--') && word.shown.startsWith(`${name}=`)) return tail(word, name.length + 1)
    }
    if (taking.includes(word.value)) at += 1
    else if (!word.value.startsWith('-') && ++positional > own) return undefined
  }
  return undefined
}

function tail(word: ShellWord, from: number): ShellWord {
  return { ...word, value: word.value.slice(from), shown: word.shown.slice(from) }
}

function findCommands(words: readonly ShellWord[], opener: RegExp): readonly Inner[] {
  const inner: Inner[] = []
  for (let at = 0; at < words.length; at += 1) {
    if (!opener.test(words[at]?.value ?? '')) continue
    const rest = words.slice(at + 1)
    const end = rest.findIndex((word, index) => word.value === ';' || (word.value === '+' && rest[index - 1]?.value === '{}'))
    const command = end < 0 ? rest : rest.slice(0, end)
    if (command.length > 0) inner.push({ kind: 'words', words: command })
    at += command.length
  }
  return inner
}

/** `python -m pytest` is `pytest`. */
function pythonModule(words: readonly ShellWord[]): readonly Inner[] {
  const at = words.findIndex((word) => word.value === '-m')
  const before = words.slice(0, Math.max(at, 0))
  if (at < 0 || before.some((word) => !word.value.startsWith('-'))) return []
  const rest = words.slice(at + 1)
  return rest.length > 0 ? [{ kind: 'words', words: rest }] : []
}
