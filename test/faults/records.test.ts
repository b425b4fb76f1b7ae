import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { HOOK_GIVES_UP_MS, Served, until } from './served.fixture.ts'
import { COMMIT, Talk } from './talk.fixture.ts'

let served: Served
beforeEach(async () => {
  served = new Served({ commit: COMMIT })
  await served.start()
})
/** Whatever stood in the files, nothing has failed inside, no call took too long, and the state is consistent. */
afterEach(async () => {
  try {
    expect((await served.health()).counters['failures'] ?? 0).toBe(0)
    expect(Math.max(...(await served.log()).map(({ ms }) => ms.total))).toBeLessThan(HOOK_GIVES_UP_MS)
    expect(await served.stop()).toBe(0)
    expect(served.check()).toEqual([])
  } finally {
    await served.end()
  }
})

let talks = 0
async function begin(): Promise<Talk> {
  talks += 1
  const talk = new Talk(served, talks)
  await talk.start()
  await talk.prompt()
  return talk
}

/** A call is held; the lines that prove it are written in the given way. */
async function held(write: (talk: Talk, prove: () => void) => void): Promise<Talk> {
  const talk = await begin()
  talk.answers({ id: 'toolu_held', command: 'git commit' })
  const answer = await talk.bash('git commit', 'toolu_held')
  expect(answer?.decision).toBe('deny')
  write(talk, () => {
    talk.arrives('toolu_held', answer?.text ?? '')
    talk.answers()
  })
  await talk.batchEnd('toolu_held')
  return talk
}

/** Repeats the call, each time in a new reply, until it is let through. Gives how the gate was lifted, and how many were denied. */
async function letThrough(
  talk: Talk,
  answer = (_call: string): void => {},
): Promise<{ readonly lift: string | undefined; readonly denied: number }> {
  let denied = 0
  await until(
    async () => {
      const call = talk.newCall()
      answer(call)
      const told = await talk.bash('git commit', call)
      await talk.batchEnd(call)
      if (told?.decision === 'deny') denied += 1
      return told?.status
    },
    (status) => status === 204,
  )
  const rows = (await served.log()).filter(({ context }) => context === talk.context)
  return { lift: rows.flatMap(({ gates }) => gates.map(({ lift }) => lift)).at(-1), denied }
}

test('torn in the middle of a line: it is read on when the rest comes', async () => {
  const talk = await held((own, prove) => {
    appendFileSync(own.records, '{"type":"user","message":{"role":"us')
    setImmediate(() => {
      appendFileSync(own.records, 'er","content":"x"}}\n')
      prove()
    })
  })
  expect((await letThrough(talk)).lift).toBe('shown')
})

test('rotated, rewritten from its start, and cut to nothing: what stands there then is read', async () => {
  for (const change of [rotate, rewrite, (talk: Talk) => truncateSync(talk.records)]) {
    const talk = await held((own, prove) => {
      own.write({ type: 'user', uuid: 'u', message: { role: 'user', content: 'x'.repeat(20_000) } })
      change(own)
      prove()
    })
    // the line of the held call is gone with the old file: the first reply in the new one may be its own, the next one proves
    const goesOn = (id: string): void => talk.answers({ id, command: 'git commit' })
    expect((await letThrough(talk, goesOn)).lift).toBe('shown')
  }
})

test('G18: replaced by a folder, a pipe or a symlink, or missing: no call is held for good', async () => {
  const replacements: ((talk: Talk) => void)[] = [
    (talk) => mkdirSync(talk.records),
    (talk) => execFileSync('mkfifo', [talk.records]),
    (talk) => {
      writeFileSync(`${talk.records}.other`, '')
      symlinkSync(`${talk.records}.other`, talk.records)
    },
    () => {},
  ]
  for (const replace of replacements) {
    const talk = await held((own) => {
      rmSync(own.records, { force: true })
      replace(own)
    })
    expect((await letThrough(talk)).lift).toMatch(/^(?:assumed|unproven|capped)$/)
  }
})

test('G18: lines of another format: no call is held for good', async () => {
  const talk = await held((own) => appendFileSync(own.records, 'not JSON\n{"v":2,"kind":"new"}\n\0\0\0\n[]\n'.repeat(100)))
  const { lift, denied } = await letThrough(talk)
  expect(lift).toBe('unproven')
  // the first one, and four more waves
  expect(denied).toBe(4)
})

function rotate(talk: Talk): void {
  renameSync(talk.records, `${talk.records}.1`)
  writeFileSync(talk.records, '')
}

function rewrite(talk: Talk): void {
  writeFileSync(talk.records, '{"type":"user","message":{"role":"user","content":"short"}}\n')
}
