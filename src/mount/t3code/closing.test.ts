/** A host that stops waits for open answers: who follows the log must not hold it up. */
import { expect, test, vi } from 'vitest'
import { tellEngine } from '../../server/engine.fixture.ts'
import type { Inside } from './inside.ts'
import { mountLayer } from './mount.ts'
import { serveInside } from './serve-inside.ts'
import { hostServices, startSmallHost } from './small-host.fixture.ts'
import { STABLE } from './stable.ts'
import { newWorld } from './world.fixture.ts'

vi.setConfig({ testTimeout: 120_000 })

test('a stream of the log is ended once the host stops to listen, before the host gets to close its routes', async () => {
  const world = newWorld()
  const happened: string[] = []
  const inside = serveInside({
    engine: tellEngine(),
    saw: () => {},
    now: () => 0,
    report: () => {},
    onClosing: () => void happened.push('told'),
  })
  const watched: Inside = {
    async fetch(request, call) {
      const response = await inside.fetch(request, call)
      const ended = new TransformStream<Uint8Array, Uint8Array>({ flush: () => void happened.push('stream ended') })
      return new Response(response.body?.pipeThrough(ended) ?? null, response)
    },
    async close() {
      happened.push('routes closed')
      await inside.close()
    },
  }
  const host = await startSmallHost(
    world,
    mountLayer(STABLE, {}, async () => watched),
    hostServices(world),
    { waitsForAnswers: true },
  )
  const response = await fetch(`${host.address}/contextmd/v1/log?follow`, { headers: { authorization: 'Bearer t3_person' } })
  const ended = response.text()
  await host.close()
  await ended
  expect(happened).toEqual(['told', 'stream ended', 'routes closed'])
})
