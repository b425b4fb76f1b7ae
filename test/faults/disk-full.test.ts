import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { Served, until } from './served.fixture.ts'
import { COMMIT, Talk } from './talk.fixture.ts'

const isRootOnLinux = process.getuid?.() === 0 && process.platform === 'linux'

let served: Served
afterEach(() => served?.end())

test.skipIf(!isRootOnLinux)(
  'a full disk: every call is let through, nothing acknowledged is lost, serving goes on when there is room (needs root, to mount one)',
  async () => {
    served = new Served({ commit: COMMIT })
    const { data } = served.paths
    const mounted = 'cp -a "$0" "$0.keep" && mount -t tmpfs -o size=4m none "$0" && cp -a "$0.keep/." "$0"'
    const filled = 'head -c 3m /dev/zero > "$0/ballast" && exec "$@"'
    await served.start({ before: ['unshare', '-m', 'sh', '-c', `${mounted} && ${filled}`, data] })
    const talk = new Talk(served)
    await talk.start()
    const handedOver: string[] = []
    const call = async (): Promise<boolean> => {
      const answer = await talk.bash('git commit')
      expect([200, 204]).toContain(answer?.status)
      if (answer?.status === 200) handedOver.push(talk.acknowledged.at(-1) ?? '')
      return answer?.status === 200
    }
    await until(call, (isHeld) => !isHeld)
    expect((await served.health()).problems).toContainEqual(
      expect.objectContaining({ code: 'state_full', cure: expect.stringContaining('Free space') }),
    )
    rmSync(served.inItsView(join(data, 'ballast')))
    await until(call, (isHeld) => isHeld)

    const logged = new Set((await served.log()).map(({ delivery }) => delivery))
    expect(handedOver.filter((delivery) => !logged.has(delivery))).toEqual([])
    const copy = join(served.home, 'copy')
    served.copyData(copy)
    expect(served.check(join(copy, 'contextmd.sqlite'))).toEqual([])
    expect(await served.stop()).toBe(0)
  },
)
