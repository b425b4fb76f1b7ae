/** Joins inside a host while its rows change, for hosts of both generations. */
import { describe, expect, test, vi } from 'vitest'
import type { DatabaseSync } from 'node:sqlite'
import { pathsFrom } from '../../paths.ts'
import { readServerFile } from '../../server/server-file.ts'
import { openHosted, type StartedHost } from './hosted.fixture.ts'
import type { World } from './world.fixture.ts'

const ATTEMPTS = 'orchestration_v2_projection_run_attempts'

/** The attempt takes another status, in its column and in its payload, in one statement. */
function turn(writer: DatabaseSync, attempt: string, status: string): void {
  writer
    .prepare(`UPDATE ${ATTEMPTS} SET status = ?2, payload_json = json_set(payload_json, '$.status', ?2) WHERE attempt_id = ?1`)
    .run(attempt, status)
}

/** Another attempt of the same run, thread and native session. */
function nextAttempt(writer: DatabaseSync, of: string, attempt: string, status: string): void {
  writer
    .prepare(
      `INSERT INTO ${ATTEMPTS} SELECT ?2, thread_id, run_id, attempt_ordinal + 1, root_node_id, provider, provider_thread_id, NULL, ?3,
         json_set(payload_json, '$.id', ?2, '$.status', ?3, '$.reason', 'steering_restart'), provider_instance_id
       FROM ${ATTEMPTS} WHERE attempt_id = ?1`,
    )
    .run(of, attempt, status)
}

export function describeHostedJoins(name: string, start: (world: World) => Promise<StartedHost>): void {
  describe(name, () => {
    test('a moment of a running attempt is joined to its thread and run, and served', async () => {
      const hosted = await openHosted(start)
      const told = await hosted.commit('S-JOIN', 'toolu_a')
      expect(told.isDenied).toBe(true)
      expect(told.text).toContain('Use Conventional Commits.')
      expect(await hosted.log()).toMatchObject([{ joining: 'joined', thread: 'T-JOIN', run: 'R-JOIN', outcome: 'denied' }])
    })

    test('the address of the host is told to hooks', async () => {
      const { world, host } = await openHosted(start)
      const { server } = pathsFrom(world.env)
      await vi.waitFor(() => expect(readServerFile(server)).toMatchObject({ address: host.address, startedAs: 'host' }), {
        timeout: 60_000,
        interval: 20,
      })
    })

    test('a session that the host never recorded is not served', async () => {
      const hosted = await openHosted(start)
      expect((await hosted.commit('S-NOBODY', 'toolu_a')).status).toBe(204)
      expect(await hosted.log()).toMatchObject([{ joining: 'unjoined', thread: null, outcome: 'nothing' }])
    })

    test('a session with two running attempts is ambiguous and not served', async () => {
      const hosted = await openHosted(start)
      expect((await hosted.commit('S-TWO', 'toolu_a')).status).toBe(204)
      expect(await hosted.log()).toMatchObject([{ joining: 'ambiguous', outcome: 'nothing' }])
    })

    test('an attempt that starts late: the session start finds none, the next moment does', async () => {
      const hosted = await openHosted(start, ({ writer }) => turn(writer, 'A-JOIN', 'pending'))
      expect((await hosted.tell('S-JOIN', 'SessionStart', { source: 'startup' })).status).toBe(204)
      turn(hosted.world.writer, 'A-JOIN', 'running')
      expect((await hosted.commit('S-JOIN', 'toolu_a')).isDenied).toBe(true)
      expect((await hosted.log()).map(({ joining }) => joining)).toEqual(['unjoined', 'joined'])
    })

    test('a steering restart in the middle of a wave: every call of it is judged on the same run', async () => {
      const hosted = await openHosted(start)
      const { writer } = hosted.world
      expect((await hosted.commit('S-JOIN', 'toolu_a')).isDenied).toBe(true)
      writer.exec('BEGIN')
      turn(writer, 'A-JOIN', 'superseded')
      nextAttempt(writer, 'A-JOIN', 'A-JOIN-2', 'pending')
      writer.exec('COMMIT')
      expect((await hosted.commit('S-JOIN', 'toolu_b')).isDenied).toBe(true)
      turn(writer, 'A-JOIN-2', 'running')
      expect((await hosted.commit('S-JOIN', 'toolu_c')).isDenied).toBe(true)
      const log = await hosted.log()
      expect(log.map(({ joining, run }) => `${joining} ${run}`)).toEqual(['joined R-JOIN', 'unjoined R-JOIN', 'joined R-JOIN'])
      // one text for the wave, charged to one run
      expect(log.filter(({ bytes }) => bytes > 0)).toHaveLength(1)
    })

    test('T14: while the host is in a transaction a moment is joined all the same, to what was committed', async () => {
      const hosted = await openHosted(start)
      await hosted.commit('S-JOIN', 'toolu_a')
      await hosted.host.busy(async () => {
        expect((await hosted.commit('S-OLD', 'toolu_b')).status).toBe(204)
        expect((await hosted.commit('S-JOIN', 'toolu_c')).isDenied).toBe(true)
      })
      expect((await hosted.log()).map(({ joining }) => joining)).toEqual(['joined', 'unjoined', 'joined'])
    })
  })
}
