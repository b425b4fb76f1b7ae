import { describeContract } from '../../server/contract.fixture.ts'
import { HOST_DOOR, insideHost } from './contract-host.fixture.ts'
import { mountLayer } from './mount.ts'
import { startSmallHost } from './small-host.fixture.ts'
import { STABLE } from './stable.ts'

const open = insideHost((world, inside) => startSmallHost(world, mountLayer(STABLE, {}, inside)))

describeContract('inside a host on stable Effect', open, HOST_DOOR)
