/** What is answered to a moment, before a harness's renderer writes it in the harness's own form. */
import type { DeliveryId } from './id.ts'

export type Reply =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'serve'; readonly delivery: DeliveryId; readonly text: string }
  /** `reason`: a stub of at most 160 bytes; `text` goes beside it, or is empty; `notice`: one line for the person. */
  | {
      readonly kind: 'deny'
      readonly delivery: DeliveryId
      readonly reason: string
      readonly text: string
      readonly notice: string
    }

export const NOTHING: Reply = { kind: 'nothing' }
