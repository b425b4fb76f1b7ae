/** Items of a host that change after the hook, as evidence inside that host. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { openHosted, type Hosted, type StartedHost } from './hosted.fixture.ts'
import type { World } from './world.fixture.ts'

const POINTER_RULE = '---\ntitle: Guide\nmust-know: true\nread: [guide.txt]\nwhen:\n  - command: git commit\n---\nRead the guide.\n'
const GUIDE = 'A line that only the guide has.\n'

interface ItemRow {
  readonly id: string
  readonly ordinal: number
  readonly type: string
  readonly status: string
  readonly payload: object
}

/** As the host projects it: once more when the item changes. */
function project({ writer }: World, { id, ordinal, type, status, payload }: ItemRow): void {
  writer
    .prepare(
      `INSERT OR REPLACE INTO orchestration_v2_projection_turn_items
         (turn_item_id, thread_id, run_id, provider_thread_id, ordinal, type, status, updated_at, payload_json)
       VALUES (?, 'T-JOIN', 'R-JOIN', 'PT-JOIN', ?, ?, ?, ?, ?)`,
    )
    .run(id, ordinal, type, status, new Date().toISOString(), JSON.stringify({ type, status, ...payload }))
}

export function describeHostedItems(name: string, start: (world: World) => Promise<StartedHost>): void {
  const lifts = async (hosted: Hosted) => (await hosted.log()).flatMap(({ gates }) => gates.map(({ lift }) => lift))
  const endBatch = (hosted: Hosted, call: string) =>
    hosted.tell('S-JOIN', 'PostToolBatch', { tool_calls: [{ tool_name: 'Bash', tool_input: {}, tool_use_id: call, tool_response: '' }] })

  describe(name, () => {
    test('G6: an item that goes from running to completed after the hook proves its read then, and not before', async () => {
      const hosted = await openHosted(start, ({ rules }) => {
        writeFileSync(join(rules, 'commit.md'), POINTER_RULE)
        writeFileSync(join(rules, 'guide.txt'), GUIDE)
      })
      const { world } = hosted
      const read = {
        nativeItemRef: { driver: 'claudeAgent', nativeId: 'toolu_read', strength: 'strong' },
        toolName: 'Read',
        input: { file_path: join(world.rules, 'guide.txt') },
      }
      const item = { id: 'turn-item:toolu_read', ordinal: 1_000_010, type: 'dynamic_tool' }
      const at = (ms: number) => new Date(Date.now() + ms).toISOString()

      expect((await hosted.commit('S-JOIN', 'toolu_a')).isDenied).toBe(true)
      await endBatch(hosted, 'toolu_a')
      project(world, { ...item, status: 'running', payload: { ...read, startedAt: at(0) } })
      expect((await hosted.commit('S-JOIN', 'toolu_b')).isDenied).toBe(true)
      expect(await lifts(hosted)).toEqual([])

      const done = { ...read, startedAt: at(0), completedAt: at(1), output: { type: 'text', file: { content: GUIDE } } }
      project(world, { ...item, status: 'completed', payload: done })
      const said = { startedAt: at(10), text: 'I have read it.' }
      project(world, { id: 'turn-item:text', ordinal: 1_000_011, type: 'assistant_message', status: 'completed', payload: said })
      await endBatch(hosted, 'toolu_b')
      await vi.waitFor(async () => expect(await lifts(hosted)).toEqual(['read']), { timeout: 20_000, interval: 50 })
      expect((await hosted.commit('S-JOIN', 'toolu_c')).status).toBe(204)
    })

    test('T11: a run that the host rolled back takes what was read in it along: the gate is armed again', async () => {
      const hosted = await openHosted(start, ({ rules }) => {
        writeFileSync(join(rules, 'commit.md'), POINTER_RULE)
        writeFileSync(join(rules, 'guide.txt'), GUIDE)
      })
      const { writer, rules } = hosted.world
      const file = join(rules, 'guide.txt')
      const read = { tool_name: 'Read', tool_input: { file_path: file }, tool_use_id: 'toolu_read' }
      expect((await hosted.commit('S-JOIN', 'toolu_a')).isDenied).toBe(true)
      await endBatch(hosted, 'toolu_a')
      await hosted.tell('S-JOIN', 'PreToolUse', read)
      await hosted.tell('S-JOIN', 'PostToolUse', { ...read, tool_response: { type: 'text', file: { filePath: file, content: GUIDE } } })
      await endBatch(hosted, 'toolu_read')
      expect((await hosted.commit('S-JOIN', 'toolu_b')).status).toBe(204)
      await endBatch(hosted, 'toolu_b')

      writer.exec(`
        BEGIN;
        UPDATE orchestration_v2_projection_run_attempts SET status = 'completed' WHERE attempt_id = 'A-JOIN';
        UPDATE orchestration_v2_projection_runs SET status = 'rolled_back' WHERE run_id = 'R-JOIN';
        INSERT INTO orchestration_v2_projection_runs
          SELECT 'R-JOIN-2', thread_id, 2, provider, provider_thread_id, 'running', requested_at, NULL, payload_json, provider_instance_id
          FROM orchestration_v2_projection_runs WHERE run_id = 'R-JOIN';
        INSERT INTO orchestration_v2_projection_run_attempts
          SELECT 'A-JOIN-2', thread_id, 'R-JOIN-2', 1, root_node_id, provider, provider_thread_id, NULL, 'running',
            json_set(payload_json, '$.id', 'A-JOIN-2'), provider_instance_id
          FROM orchestration_v2_projection_run_attempts WHERE attempt_id = 'A-JOIN';
        COMMIT`)
      await hosted.tell('S-JOIN', 'UserPromptSubmit', { prompt: 'again', prompt_id: 'prompt-2' })
      expect((await hosted.commit('S-JOIN', 'toolu_c')).isDenied).toBe(true)
      expect((await hosted.log()).at(-1)).toMatchObject({ joining: 'joined', run: 'R-JOIN-2', epoch: 1 })
    })
  })
}
