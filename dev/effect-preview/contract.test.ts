import { describeContract } from '../../src/server/contract.fixture.ts'
import { HOST_DOOR, insideHost } from '../../src/mount/t3code/contract-host.fixture.ts'
import { mountLayer } from '../../src/mount/t3code/mount.ts'
import { PREVIEW } from '../../src/mount/t3code/preview.ts'
import { startSmallHost } from './small-host.fixture.ts'

const open = insideHost((world, inside) => startSmallHost(world, mountLayer(PREVIEW, {}, inside)))

describeContract('inside a host on a preview of Effect', open, HOST_DOOR)
