/**
 * The core as a reader of the laws would write it down: slow and obvious. Every claim is kept for ever, and what holds is counted
 * anew from them. The figures are those of the laws, written out, so that a figure changed in the code is found here.
 */
import { PREFACE } from './compose.ts'
import type { Decision } from './decide.ts'
import type { Entry } from './entry.ts'
import type { ClaimFact } from './fact.ts'
import type { MomentKind } from './moment.ts'
import type { Limit, Profile } from './profile.ts'

type Form = 'text' | 'pointer' | 'note' | 'stub'
type Role = 'plain' | 'hold' | 'forbid'
type End = 'reserved' | 'settled' | 'shown' | 'cut' | 'hidden' | 'unverified' | 'dropped' | 'delivery_unverified' | 'done'

interface Made {
  readonly id: string
  readonly delivery: string
  readonly entry: Entry
  readonly form: Form
  readonly role: Role
  readonly bytes: number
  readonly run: string
  readonly epoch: number
  readonly wave: number
  readonly seq: number
  readonly at: number
  state: End
  wasHanded: boolean
  looks: number
}

interface Waiting {
  readonly entry: Entry
  readonly run: string | null
  readonly epoch: number
  tries: number
}

interface Row {
  readonly entry: string
  readonly outcome: string
  readonly bytes: number
}

export interface Expected {
  readonly kind: Decision['reply']['kind']
  /** All that stands beside, or behind the stub in the reason. */
  readonly text: string
  readonly rows: readonly Row[]
}

const bytes = (text: string) => Buffer.byteLength(text)
const sizeOf = (limit: Limit, text: string) => (limit.unit === 'bytes' ? bytes(text) : text.length)
const keyOf = (entry: Entry) => `${entry.id} ${entry.hash}`
const isGate = (entry: Entry) => entry.mustKnow && !entry.forbid

/** One answer in the making. */
class Page {
  readonly texts: string[] = []
  readonly rows: Row[] = []
  readonly made: Made[] = []
  readonly limit: Limit | null
  readonly isCompact: boolean

  constructor(limit: Limit | null, isCompact: boolean) {
    this.limit = limit
    this.isCompact = isCompact
  }

  textWith(more: readonly string[]): string {
    const all = [...this.texts, ...more]
    return all.length === 0 ? '' : [...(this.isCompact ? [] : [PREFACE]), ...all].join('\n')
  }

  costOf(text: string): number {
    if (this.texts.length > 0) return bytes(text) + 1
    return this.isCompact ? bytes(text) : bytes(`${PREFACE}\n${text}`)
  }
}

export class Model {
  readonly profile: Profile
  /** By path: the entries whose gate it bears on, as they are now. */
  readonly files: ReadonlyMap<string, () => Entry>
  run = 'run#1'
  epoch = 0
  seq = 0
  claims: Made[] = []
  #answeredSeq = 0
  #wave: { number: number; isOver: boolean; denied: number; since: number }
  #told = { byMoment: 0, byRecords: 0, marks: new Set<string>() }
  #known = new Map<string, { readonly by: string; readonly claim: string; readonly run: string }>()
  /** Gates that lifted for another reason than their counts. */
  #lifted = new Set<string>()
  #filesRead = new Map<string, Set<string>>()
  #reads: { path: string; call: string; wave: number; isNamed: boolean }[] = []
  #carries: Waiting[] = []
  #stopCarriedIn: string | null = null

  constructor(profile: Profile, files: ReadonlyMap<string, () => Entry>, at: number) {
    this.profile = profile
    this.files = files
    this.#wave = { number: 1, isOver: false, denied: 0, since: at }
  }

  // --- what holds, counted from the claims

  /** Law 1. */
  get left(): number {
    const isCharged = ({ run, epoch, state }: Made) =>
      run === this.run && epoch === this.epoch && !['hidden', 'dropped', 'delivery_unverified'].includes(state)
    return 8_000 - this.claims.filter(isCharged).reduce((sum, claim) => sum + claim.bytes, 0)
  }

  /** Laws 7 and 8. */
  isLifted(entry: Entry): boolean {
    if (this.#lifted.has(keyOf(entry))) return true
    if (this.#known.get(keyOf(entry))?.by === 'shown' && entry.read.length === 0) return true
    const holds = this.claims.filter((claim) => claim.role === 'hold' && claim.epoch === this.epoch && keyOf(claim.entry) === keyOf(entry))
    const waves = (of: readonly Made[]) => new Set(of.map(({ wave }) => wave)).size
    return (
      holds.some(({ form, state }) => form === 'text' && state === 'shown' && entry.read.length === 0) ||
      waves(holds.filter(({ state }) => state === 'shown')) >= 3 ||
      waves(holds.filter(({ wasHanded }) => wasHanded)) >= 5
    )
  }

  isArmed(entry: Entry): boolean {
    return isGate(entry) && !this.isLifted(entry)
  }

  #open(entry: Entry): readonly Made[] {
    return this.claims.filter(
      ({ state, epoch, form, entry: of }) =>
        (state === 'reserved' || state === 'settled') && epoch === this.epoch && form !== 'stub' && keyOf(of) === keyOf(entry),
    )
  }

  #isKnown(entry: Entry): boolean {
    const known = this.#known.get(keyOf(entry))
    if (known === undefined || known.by === 'cut' || entry.repeat === 'always') return false
    if (entry.repeat === 'run' && known.run !== this.run) return false
    return known.by !== 'pointer' || entry.read.length > 0 || known.run === this.run
  }

  #isPending(entry: Entry): boolean {
    return this.#open(entry).some(({ wave }) => entry.repeat !== 'always' || wave === this.#wave.number)
  }

  // --- what happens

  ask(kind: MomentKind, entries: readonly Entry[], at: number, { call = '', reads = [] as readonly string[] } = {}): Expected {
    const now = at + 10
    this.expire(now)
    this.seq += 1
    if (kind === 'before-tool' || kind === 'prompt' || kind === 'stop')
      this.#told.byMoment = Math.max(this.#told.byMoment, this.#told.byRecords)
    const wave = this.#wave.number
    this.#turnWave(kind, at)
    if (this.#wave.number > wave || kind === 'stop') this.#answeredSeq = this.seq
    const isNamed = this.profile.announcesAllFirst === true
    if (kind === 'after-tool') this.#reads.push(...reads.map((path) => ({ path, call, wave: this.#wave.number, isNamed })))
    if (kind === 'batch-end') for (const read of this.#reads) if (read.call === call) read.isNamed = true
    this.#proveReads(kind)
    return this.#decide(kind, entries, now)
  }

  /** A moment that tells of a compaction. */
  compact(at: number): void {
    this.expire(at + 10)
    const before = Math.max(this.#told.byMoment, this.#told.byRecords)
    this.#told.byMoment += 1
    if (this.#told.byMoment > before) this.#endEpoch()
  }

  /** Records that tell of one, each once. */
  compacted(mark: string): void {
    if (this.#told.marks.has(mark)) return
    const before = Math.max(this.#told.byMoment, this.#told.byRecords)
    this.#told.marks.add(mark)
    this.#told.byRecords += 1
    if (this.#told.byRecords > before) this.#endEpoch()
  }

  /** Law 13. */
  #endEpoch(): void {
    this.epoch += 1
    this.#known.clear()
    this.#lifted.clear()
    this.#filesRead.clear()
    this.#reads = []
  }

  gone(claim: string): void {
    const still = [...this.#known].filter(([, known]) => known.claim !== claim)
    if (still.length === this.#known.size) return
    this.#endEpoch()
    for (const [key, known] of still) this.#known.set(key, known)
  }

  /** Law 6: what belongs to one wave. */
  #turnWave(kind: MomentKind, at: number): void {
    const wave = this.#wave
    const isEnd = ['batch-end', 'prompt', 'stop', 'session-start'].includes(kind)
    if (isEnd || (kind === 'after-tool' && this.profile.announcesAllFirst === true)) wave.isOver = true
    if (kind !== 'before-tool') return
    if (wave.isOver || (wave.denied > 0 && at - wave.since > 120_000) || wave.denied >= 128)
      this.#wave = { number: wave.number + 1, isOver: false, denied: 0, since: at }
  }

  #proveReads(kind: MomentKind): void {
    if (kind !== 'before-tool' && kind !== 'stop') return
    const isProven = (read: { isNamed: boolean; wave: number }) => read.isNamed && (kind === 'stop' || read.wave < this.#wave.number)
    for (const { path } of this.#reads.filter(isProven)) this.read(path)
    this.#reads = this.#reads.filter((read) => !isProven(read))
  }

  /** Law 7: a proven read. */
  read(path: string): void {
    const entry = this.files.get(path)?.()
    if (entry === undefined) return
    const read = this.#filesRead.get(keyOf(entry)) ?? new Set()
    this.#filesRead.set(keyOf(entry), read.add(path))
    if (path === entry.file || entry.read.every((target) => read.has(target))) this.#lifted.add(keyOf(entry))
  }

  /** Law 3. */
  expire(now: number): void {
    for (const claim of this.claims)
      if (claim.state === 'reserved' && (now - claim.at > 2_000 || now < claim.at)) claim.state = 'delivery_unverified'
  }

  settle(delivery: string, outcome: 'handed' | 'dropped', now: number): void {
    this.expire(now)
    for (const claim of this.claims) {
      if (claim.delivery !== delivery || claim.state !== 'reserved') continue
      claim.wasHanded = outcome === 'handed'
      claim.state = outcome === 'dropped' ? 'dropped' : claim.form === 'stub' ? 'done' : 'settled'
    }
  }

  /** Laws 9 to 11. */
  judge(id: string, found: ClaimFact['found'], answered: boolean): void {
    const claim = this.claims.find((one) => one.id === id)
    if (claim === undefined || claim.state !== 'settled' || !answered) return
    claim.state = found === 'whole' ? 'shown' : found === 'cut' ? 'cut' : 'hidden'
    if (claim.state === 'hidden') return
    const isText = claim.form === 'text' && claim.entry.read.length === 0
    this.#know(claim, claim.state === 'cut' ? 'cut' : isText ? 'shown' : 'pointer')
    if (found === 'whole' && claim.epoch === this.epoch && claim.wave === this.#wave.number) this.#wave.isOver = true
  }

  #know(claim: Made, by: string): void {
    if (claim.epoch !== this.epoch) return
    if (this.#known.get(keyOf(claim.entry))?.by === 'shown' && by !== 'shown') return
    this.#known.set(keyOf(claim.entry), { by, claim: claim.id, run: claim.run })
  }

  look(now: number): void {
    for (const claim of this.claims) {
      if (claim.state !== 'settled' || claim.seq >= this.#answeredSeq) continue
      claim.looks += 1
      if (claim.looks < 5 || now - claim.at < 10_000) continue
      claim.state = 'unverified'
      this.#know(claim, 'unverified')
    }
  }

  noRecords(): void {
    for (const claim of this.claims) {
      if (claim.role === 'hold' && claim.wasHanded && claim.epoch === this.epoch) this.#lifted.add(keyOf(claim.entry))
      if (claim.state !== 'settled') continue
      claim.state = 'unverified'
      this.#know(claim, 'unverified')
    }
  }

  // --- what is answered

  #decide(kind: MomentKind, entries: readonly Entry[], now: number): Expected {
    const sorted = entries.toSorted(
      (a, b) =>
        Number(b.forbid) - Number(a.forbid) || b.priority - a.priority || Number(b.mustKnow) - Number(a.mustKnow) || (a.id < b.id ? -1 : 1),
    )
    const seam = this.profile.seams[kind]
    const denying = kind === 'before-tool' && seam?.deny === true ? sorted.filter((entry) => entry.forbid || this.isArmed(entry)) : []
    let rows: readonly Row[] = []
    if (denying.length > 0) {
      const page = this.#denyPage()
      const told = denying.map((entry) => [entry, this.#tell(page, entry, now)] as const)
      const untold = told.flatMap(([entry, isTold]) => (isTold ? [] : [entry]))
      if (untold.length < denying.length) {
        for (const entry of untold) page.rows.push(rowOf(entry, 'held_waiting'))
        for (const entry of sorted)
          if (!denying.includes(entry)) page.rows.push(rowOf(entry, isGate(entry) || entry.forbid ? 'lifted' : 'waiting'))
        this.#wave.denied += 1
        this.claims.push(...page.made)
        return { kind: 'deny', text: page.textWith([]), rows: page.rows }
      }
      rows = untold.map((entry) => rowOf(entry, 'let_through'))
    }
    const page = new Page(seam?.inject ?? null, false)
    page.rows.push(...rows)
    if (page.limit === null) {
      for (const entry of sorted) if (!rows.some((row) => row.entry === entry.id)) page.rows.push(rowOf(entry, this.#carry(entry, kind)))
      return { kind: 'nothing', text: '', rows: page.rows }
    }
    this.#bringCarries(page, kind, entries, now)
    const logged = new Set(page.rows.flatMap((row) => (row.outcome === 'carry_dropped' ? [] : [row.entry])))
    for (const entry of sorted) if (!logged.has(entry.id)) this.#serve(page, entry, kind, now)
    this.claims.push(...page.made)
    if (kind === 'stop' && page.texts.length > 0) this.#stopCarriedIn = this.run
    return { kind: page.texts.length > 0 ? 'serve' : 'nothing', text: page.textWith([]), rows: page.rows }
  }

  #denyPage(): Page {
    const { denyText, denyReason, seams } = this.profile
    const inject = seams['before-tool']?.inject ?? null
    if (denyText === 'context') return new Page(inject, false)
    const reason = denyReason ?? inject
    if (reason === null) return new Page(null, false)
    const isCompact = reason.max < 1_000
    return new Page({ ...reason, max: reason.max - (isCompact ? 38 : 160) - 1 }, isCompact)
  }

  /** Law 2 and 5: whole where it fits, at the retry where it would fit then, else a pointer; a forbid needs no text. */
  #tell(page: Page, entry: Entry, now: number): boolean {
    const role = entry.forbid ? 'forbid' : 'hold'
    const outcome = entry.forbid ? 'forbidden' : 'held'
    const open = [...this.#open(entry)]
    const beside = open.some((claim) => claim.wave === this.#wave.number && claim.role === role)
    const told = this.#known.get(keyOf(entry))
    if (beside || (entry.forbid && told !== undefined && told.by !== 'cut')) {
      this.#put(page, entry, 'stub', role, now)
      page.rows.push(rowOf(entry, beside && !entry.forbid ? 'held_beside' : outcome))
      return true
    }
    const pointers: readonly Form[] = !page.isCompact ? ['pointer'] : entry.read.length > 0 ? ['pointer', 'note'] : ['note']
    const forms: readonly Form[] = told === undefined && open.length === 0 ? ['text', ...pointers] : pointers
    for (const form of forms) {
      const fit = this.#fit(page, entry, form)
      if (fit === 'fits') {
        page.rows.push(rowOf(entry, outcome, this.#put(page, entry, form, role, now)))
        return true
      }
      if (fit === 'answer' && role === 'hold') return false
    }
    if (role === 'hold') return false
    this.#put(page, entry, 'stub', role, now)
    page.rows.push(rowOf(entry, outcome))
    return true
  }

  #serve(page: Page, entry: Entry, kind: MomentKind, now: number): void {
    if (kind === 'before-tool' && (entry.forbid || (isGate(entry) && this.isLifted(entry)))) page.rows.push(rowOf(entry, 'lifted'))
    else if (this.#isKnown(entry)) page.rows.push(rowOf(entry, 'known'))
    else if (this.#isPending(entry)) page.rows.push(rowOf(entry, 'pending'))
    else this.#plain(page, entry, now)
  }

  #plain(page: Page, entry: Entry, now: number): boolean {
    const wasCut = this.#known.get(keyOf(entry))?.by === 'cut'
    for (const form of wasCut ? (['pointer'] as const) : (['text', 'pointer'] as const)) {
      if (this.#fit(page, entry, form) !== 'fits') continue
      page.rows.push(rowOf(entry, form === 'text' ? 'served' : 'pointed', this.#put(page, entry, form, 'plain', now)))
      return true
    }
    page.rows.push(rowOf(entry, 'over_budget'))
    return false
  }

  #textOf(page: Page, entry: Entry, form: Form): string {
    const id = `m${this.seq}.${page.made.length + 1}`
    const order = `Read ${entry.read.length === 1 ? 'this file' : 'these files'} before you go on:\n${entry.read.map((file) => `- ${file}`).join('\n')}`
    const bodies = {
      text: entry.read.length === 0 ? entry.text : `${entry.text}\n\n${order}`,
      pointer: `Read before you go on: ${(entry.read.length > 0 ? entry.read : [entry.file]).join(' and ')}`,
      note: `Read /n/${entry.id}.md`,
      stub: '',
    }
    return `[ContextMD ${id}${page.isCompact ? '' : ` ${entry.title}`}]\n${bodies[form]}\n[/ContextMD ${id}]`
  }

  #fit(page: Page, entry: Entry, form: Form): 'fits' | 'answer' | 'budget' | 'long' {
    const text = this.#textOf(page, entry, form)
    if (page.limit === null) return 'long'
    if (sizeOf(page.limit, new Page(page.limit, page.isCompact).textWith([text])) > page.limit.max) return 'long'
    const reserved = page.made.reduce((sum, claim) => sum + claim.bytes, 0)
    if (page.costOf(text) > this.left - reserved) return 'budget'
    return sizeOf(page.limit, page.textWith([text])) > page.limit.max ? 'answer' : 'fits'
  }

  /** Gives what it costs. */
  #put(page: Page, entry: Entry, form: Form, role: Role, at: number): number {
    const text = this.#textOf(page, entry, form)
    const cost = form === 'stub' ? 0 : page.costOf(text)
    const { run, epoch, seq } = this
    const id = `m${seq}.${page.made.length + 1}`
    page.made.push({
      id,
      delivery: `d${seq}`,
      entry,
      form,
      role,
      bytes: cost,
      run,
      epoch,
      wave: this.#wave.number,
      seq,
      at,
      state: 'reserved',
      wasHanded: false,
      looks: 0,
    })
    if (form !== 'stub') page.texts.push(text)
    return cost
  }

  /** Law 14. */
  #carry(entry: Entry, kind: MomentKind): string {
    if (this.#isKnown(entry)) return 'known'
    const isThere = this.#carries.some((waiting) => waiting.entry.id === entry.id && !this.#isOver(waiting, entry))
    if (this.#isPending(entry) || isThere) return 'pending'
    this.#carries.push({ entry, run: kind === 'prompt' ? this.run : null, epoch: this.epoch, tries: 0 })
    return 'carried'
  }

  /** What the carried entries are now. */
  current: (entry: Entry) => Entry = (entry) => entry

  #bringCarries(page: Page, kind: MomentKind, entries: readonly Entry[], now: number): void {
    const kept: Waiting[] = []
    for (const waiting of this.#carries) {
      const { entry } = waiting
      if (this.#isOver(waiting, entries.find(({ id }) => id === entry.id) ?? this.current(entry), page)) {
        page.rows.push(rowOf(entry, 'carry_dropped'))
        continue
      }
      if (this.#isKnown(entry)) continue
      kept.push(waiting)
      if (this.#isPendingWith(page, entry)) continue
      if (kind === 'stop' && !(entry.carryToStop && this.#stopCarriedIn !== this.run)) continue
      if (this.#plain(page, entry, now)) waiting.tries += 1
    }
    this.#carries = kept
  }

  #isOver({ entry, run, epoch, tries }: Waiting, current: Entry, page?: Page): boolean {
    if (keyOf(entry) !== keyOf(current) || epoch !== this.epoch || (run !== null && run !== this.run)) return true
    return tries >= 3 && !this.#isPendingWith(page, entry)
  }

  #isPendingWith(page: Page | undefined, entry: Entry): boolean {
    return this.#isPending(entry) || (page?.made.some((claim) => keyOf(claim.entry) === keyOf(entry)) ?? false)
  }
}

function rowOf(entry: Entry, outcome: string, cost = 0): Row {
  return { entry: entry.id, outcome, bytes: cost }
}
