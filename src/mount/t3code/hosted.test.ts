import { describeHostedItems } from './hosted-items.fixture.ts'
import { describeHostedJoins } from './hosted-joins.fixture.ts'
import { startSmallHost } from './small-host.fixture.ts'
import { contextmd } from './stable.ts'
import type { World } from './world.fixture.ts'

const start = (world: World) => startSmallHost(world, contextmd())

describeHostedJoins('joins inside a host on stable Effect', start)
describeHostedItems('items inside a host on stable Effect', start)
