/** Do our hooks stand where setup put them, as setup wrote them, and once? (S9, S10, S13, S17) */
import type { HarnessFacts, SetupFacts } from './facts.ts'
import type { Finding, Fix } from './finding.ts'

export function checkHooks(facts: HarnessFacts): readonly Finding[] {
  const { harness, setups } = facts
  const wanted = setups.filter(({ isThere, isRecorded, error }) => isThere || isRecorded || error !== null)
  if (wanted.every(({ isThere, error }) => !isThere && error === null) && wanted.every(({ isRecorded }) => !isRecorded))
    return [{ id: 'hooks', harness, level: 'note', what: 'not set up', cure: `contextmd setup ${harness}` }]
  return [
    ...wanted.map((setup) => checkOne(facts, setup)),
    ...wanted
      .flatMap(({ obstacles }) => obstacles)
      .map((what): Finding => ({ id: 'obstacle', harness, level: 'warn', what, cure: 'As it says.' })),
    ...checkTwice(facts),
  ]
}

function checkOne({ harness }: HarnessFacts, setup: SetupFacts): Finding {
  const about = { id: 'hooks', harness } as const
  const again = commandFor(setup, harness)
  if (setup.error !== null) return { ...about, level: 'bad', what: setup.error, cure: `Mend the file, then run "contextmd doctor" again.` }
  const fix = fixFor(setup, harness)
  if (!setup.isThere)
    return {
      ...about,
      level: 'bad',
      what: `our hooks are gone from ${setup.file}`,
      cure: `${again}, or "contextmd remove ${harness}"`,
      fix,
    }
  if (setup.stale.includes('scripts'))
    return { ...about, level: 'bad', what: `the hook scripts of ${setup.file} are missing or changed`, cure: again, fix }
  if (setup.stale.includes('hooks'))
    return { ...about, level: 'warn', what: `our hooks in ${setup.file} are not as setup would write them now`, cure: again, fix }
  return { ...about, level: 'ok', what: `in ${setup.file}, as setup wrote them`, cure: '' }
}

/**
 * What two places do, as measured: Claude Code and Grok Build run equal hooks of two settings files once, OpenCode the project's plugin,
 * Codex all of them; a plugin package comes on top.
 */
function checkTwice({ harness, setups }: HarnessFacts): readonly Finding[] {
  const there = setups.filter(({ isThere }) => isThere)
  const files = there.map(({ file }) => file).join(' and ')
  const about = { id: 'twice', harness } as const
  const plugin = there.find(({ way }) => way === 'plugin')
  if (there.length < 2) return []
  if (plugin !== undefined)
    return [
      {
        ...about,
        level: 'warn',
        what: `set up twice, as a plugin and in settings: every hook runs twice (${files})`,
        cure: 'Keep one: "claude plugin uninstall contextmd@contextmd", or "contextmd remove claude-code" and the plugin again.',
      },
    ]
  if (harness === 'codex')
    return [
      {
        ...about,
        level: 'warn',
        what: `set up twice: where both files count, every hook runs twice (${files})`,
        cure: 'contextmd remove codex, or contextmd remove codex --scope project there',
      },
    ]
  if (new Set(there.map(({ port }) => port)).size > 1)
    return [
      {
        ...about,
        level: 'warn',
        what: `set up with different ports: both run where both count (${files})`,
        cure: 'Run setup for both with the same --port.',
      },
    ]
  return [{ ...about, level: 'note', what: `set up in ${files}: where both count, the hooks run once`, cure: '' }]
}

export function fixFor({ way, project }: SetupFacts, harness: Finding['harness'] & {}, port: number | null = null): Fix {
  return way === 'plugin' ? { kind: 'plugin' } : { kind: 'setup', harness, scope: way, project, port }
}

/** The call that mends it, as a person would type it. */
export function commandFor({ way, project }: SetupFacts, harness: string): string {
  if (way === 'plugin') return 'contextmd setup claude-code --plugin'
  return way === 'user' ? `contextmd setup ${harness}` : `contextmd setup ${harness} --scope project, in ${project ?? 'the project'}`
}
