import fc from 'fast-check'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { expect, test } from 'vitest'
import { openEngine } from '../../engine/open.ts'
import { pathsFrom } from '../../paths.ts'
import { expectedOf, isGap, isRolledBack } from '../t3code/oracle.fixture.ts'
import { envIn, PATIENCE } from './beside-server.fixture.ts'
import { temporaryBase, World } from '../t3code/world.fixture.ts'

/** Each one has some twenty moments of the whole engine. */
const HISTORIES = 10
/** Denied for good: no call waits for a proof. */
const RULE = '---\ntitle: Rule\nforbid: true\nwhen:\n  - command: git commit\n---\nImperative subject.\n'
const NOTE = '---\ntitle: Note\nrepeat: run\nwhen:\n  - prompt: go\n---\nNoted.\n'

const session = fc.constantFrom('s1', 's2', 's3')
const number = fc.integer({ min: 1, max: 3 })
const status = fc.constantFrom('pending', 'running', 'running', 'superseded', 'completed', 'interrupted')
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom('prompt' as const, 'call' as const, 'end' as const), session }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('attempt' as const), session, run: number, number, status }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('status' as const), run: number, number, status }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('rollback' as const), run: number }) },
)

test('whatever order rows and moments come in, no text is served to another thread or run than the one that runs', async () => {
  const home = temporaryBase()
  const env = { ...envIn(home), CONTEXTMD_TEST_PATIENCE: PATIENCE }
  const paths = pathsFrom(env)
  mkdirSync(join(paths.config, 'rules'), { recursive: true })
  writeFileSync(join(paths.config, 'rules', 'rule.md'), RULE)
  writeFileSync(join(paths.config, 'rules', 'note.md'), NOTE)
  const world = new World('release', { base: join(home, '.t3') })
  const tables = world.database.prepare(`SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'orchestration%'`).all()
  const engine = openEngine({ paths, version: '0.0.0', now: () => Date.now(), env })
  let histories = 0

  const law = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
    histories += 1
    for (const { name } of tables) world.database.exec(`DELETE FROM ${String(name)}`)
    const wasJoined = new Map<string, string>()
    for (const [at, one] of steps.entries()) {
      if (one.do === 'attempt') {
        const name = `A${one.run}.${one.number}`
        world.attempt({
          ...one,
          session: `${one.session}-${histories}`,
          id: name,
          run: `R${one.run}`,
          thread: `T${one.run}`,
          ordinal: one.number,
          providerThread: `PT${name}`,
        })
      } else if (one.do === 'status') world.attemptIs(`A${one.run}.${one.number}`, one.status)
      else if (one.do === 'rollback') world.run(`R${one.run}`, `T${one.run}`, 'rolled_back')
      else {
        const name = `${one.session}-${histories}`
        const expected = expectedOf(world.database, name, 'claude-code')
        const body = {
          session_id: name,
          transcript_path: null,
          cwd: home,
          prompt_id: `p${at}`,
          ...EVENTS[one.do](`toolu_${histories}_${at}`),
        }
        const told = await engine.moment({ harness: 'claude-code', event: body, delivery: null, off: false, arrived: performance.now() })
        if (told.ok && told.delivery !== null) engine.settle(told.delivery, 'handed')
        const row = engine.log({ newest: true, limit: 1 })[0]
        expect(row?.session).toBe(name)
        if (expected.state === 'joined' && isRolledBack(world.database, expected.run)) {
          expect(row).toMatchObject({ joining: 'unjoined', bytes: 0, run: null })
        } else if (expected.state === 'joined') {
          expect(row).toMatchObject({ joining: 'joined', thread: expected.thread, run: expected.run })
          wasJoined.set(name, expected.run)
        } else if (expected.state === 'ambiguous') expect(row).toMatchObject({ joining: 'ambiguous', bytes: 0, run: null })
        else if (row?.joining === 'unjoined' && row.run !== null) {
          expect(row.run).toBe(wasJoined.get(name))
          expect(isGap(world.database, row.run)).toBe(true)
        } else if (row?.joining === 'standalone') {
          const recorded = `SELECT 1 FROM orchestration_v2_projection_provider_threads WHERE payload_json LIKE '%"' || ? || '"%'`
          expect(world.database.prepare(recorded).get(name)).toBeUndefined()
        } else expect(row).toMatchObject({ joining: 'unjoined', bytes: 0 })
      }
    }
  })
  try {
    await fc.assert(law, { numRuns: HISTORIES })
  } finally {
    await engine.close()
  }
})

const EVENTS = {
  prompt: () => ({ hook_event_name: 'UserPromptSubmit', prompt: 'go' }),
  call: (call: string) => ({ hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'git commit' }, tool_use_id: call }),
  end: (call: string) => ({
    hook_event_name: 'PostToolBatch',
    tool_calls: [{ tool_name: 'Bash', tool_input: {}, tool_use_id: call, tool_response: '' }],
  }),
} as const
