import { describeHostedItems } from '../../src/mount/t3code/hosted-items.fixture.ts'
import { describeHostedJoins } from '../../src/mount/t3code/hosted-joins.fixture.ts'
import { contextmd } from '../../src/mount/t3code/preview.ts'
import type { World } from '../../src/mount/t3code/world.fixture.ts'
import { startSmallHost } from './small-host.fixture.ts'

const start = (world: World) => startSmallHost(world, contextmd())

describeHostedJoins('joins inside a host on a preview of Effect', start)
describeHostedItems('items inside a host on a preview of Effect', start)
