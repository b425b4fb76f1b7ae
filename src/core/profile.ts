/** What is known of a harness, as far as a decision needs it. Each harness's own file says where each figure comes from. */
import type { HarnessName } from './id.ts'
import type { MomentKind } from './moment.ts'

export interface Limit {
  readonly unit: 'utf16' | 'bytes'
  /** Of one answer, with room to spare: 9,500 of 10,000. */
  readonly max: number
}

export interface Seam {
  /** The longest text that one answer may carry at this moment; null: text does not get in here. */
  readonly inject: Limit | null
  /** True if a call can be denied here. */
  readonly deny: boolean
}

export interface Profile {
  readonly name: HarnessName
  readonly title: string
  /** Versions on which the canary proved the seams: lowest and highest. */
  readonly proven: { readonly from: string; readonly to: string }
  readonly seams: Readonly<Partial<Record<MomentKind, Seam>>>
  /** Where the text of a deny goes: `context` beside the reason, or inside the `reason`. */
  readonly denyText: 'context' | 'reason'
  /** The longest reason that arrives whole, stub and marks included, where it is shorter than what the seam injects. */
  readonly denyReason?: Limit
  /** Only the host's record can be read of the session: it shows what went into a result, so the text of a deny goes into the reason. */
  readonly hostProves?: true
  /** The client sees what the model is sent and tells the verdict itself: a plugin in process. Elsewhere what a client tells moves nothing. */
  readonly clientTellsVerdict?: boolean
  /** The folder of a tool's event is the call's own, not the session's: the project is where the session started. */
  readonly folderIsOfCall?: boolean
  /** All calls of one reply are announced, one after the other, before the first of them runs: a finished call ends its wave. */
  readonly announcesAllFirst?: boolean
  /** True if the harness tells when all calls of one model reply are done. */
  readonly tellsBatchEnd: boolean
}
