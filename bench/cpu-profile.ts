/** Reads a CPU profile of V8: how much of the busy time each function and module took. Pure. */

export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
    readonly children?: readonly number[]
  }[]
  /** Of the monotonic clock, in microseconds. */
  readonly startTime: number
  /** One node for each sample. */
  readonly samples: readonly number[]
  /** Microseconds between a sample and the one before. */
  readonly timeDeltas: readonly number[]
}

export interface Share {
  readonly name: string
  /** Microseconds of processor time. */
  readonly us: number
}

export interface Shares {
  /** Busy time: idle is left out. */
  readonly total: number
  readonly byFunction: readonly Share[]
  /** The nearest function of ours that the time was spent for. */
  readonly onBehalf: readonly Share[]
  /** The same by folder, or by package where none of our functions is above. */
  readonly byModule: readonly Share[]
}

type Node = CpuProfile['nodes'][number]

/** Waiting for a request. */
const NOT_BUSY = new Set(['(idle)', '(program)'])

/** `root`: the folder whose `src` is ours. `from`, `to`: microseconds of the monotonic clock; what was sampled outside of them is left out. */
export function shares(profile: CpuProfile, root: string, from: number, to: number): Shares {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]))
  const parents = new Map(profile.nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node] as const)))
  const own = `${root.replace(/\/$/, '')}/src/`
  const byFunction = new Map<string, number>()
  const onBehalf = new Map<string, number>()
  const byModule = new Map<string, number>()
  let total = 0
  let at = profile.startTime
  for (const [index, sample] of profile.samples.entries()) {
    const node = nodes.get(sample)
    const us = profile.timeDeltas[index] ?? 0
    at += us
    if (at < from || at > to) continue
    if (node === undefined || NOT_BUSY.has(node.callFrame.functionName)) continue
    const ours = nearest(node, parents, (each) => placeOf(each).startsWith(own))
    total += us
    add(byFunction, nameOf(node, own), us)
    add(onBehalf, ours === null ? `outside of us: ${packageOf(node, parents)}` : nameOf(ours, own), us)
    add(byModule, ours === null ? packageOf(node, parents) : folderOf(placeOf(ours).slice(own.length)), us)
  }
  return { total, byFunction: sorted(byFunction), onBehalf: sorted(onBehalf), byModule: sorted(byModule) }
}

function nearest(node: Node, parents: ReadonlyMap<number, Node>, is: (node: Node) => boolean): Node | null {
  for (let at: Node | undefined = node; at !== undefined; at = parents.get(at.id)) if (is(at)) return at
  return null
}

function placeOf({ callFrame }: Node): string {
  return callFrame.url.replace(/^file:\/\//, '')
}

function nameOf(node: Node, own: string): string {
  const { functionName, lineNumber } = node.callFrame
  const place = placeOf(node)
  const file = place.startsWith(own) ? place.slice(own.length) : place.replace(/^.*node_modules\//, '')
  return `${functionName || '(anonymous)'}${file === '' ? '' : `  ${file}:${lineNumber + 1}`}`
}

/** `engine/step.ts` is `engine`, `harness/claude-code/decode.ts` is `harness/claude-code`. */
function folderOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : path
}

/** What runs on nobody's behalf: a library, Node itself, or the engine's own work such as collecting garbage. */
function packageOf(node: Node, parents: ReadonlyMap<number, Node>): string {
  const found = nearest(node, parents, (each) => placeOf(each).includes('/node_modules/'))
  if (found !== null) return /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(placeOf(found))?.[1] ?? 'a library'
  return placeOf(node) === '' ? node.callFrame.functionName || '(native)' : 'node'
}

function add(map: Map<string, number>, name: string, us: number): void {
  map.set(name, (map.get(name) ?? 0) + us)
}

function sorted(map: ReadonlyMap<string, number>): readonly Share[] {
  return [...map].map(([name, us]) => ({ name, us })).toSorted((a, b) => b.us - a.us)
}
