/** The ids of deliveries: one for each moment, the same for one that is told twice. */
import { randomBytes } from 'node:crypto'
import { id, type DeliveryId } from '../core/id.ts'
import type { Moment } from '../core/moment.ts'
import { hashOf } from './hash.ts'

const MADE = /(~[0-9a-f]{12})+$/

/**
 * By the client's own id or the event's; without either it is a moment that is told once. A call's id is as unique as whoever made it: one
 * that comes again with another call is another moment, which must not get the first one's answer.
 */
export function deliveryOf(moment: Moment, asked: DeliveryId | null): { readonly delivery: DeliveryId; readonly isOwn: boolean } {
  const own = asked ?? ownOf(moment)
  // as the database gives it back
  const delivery = `${moment.context}|${own ?? randomBytes(9).toString('base64url')}`.toWellFormed()
  return { delivery: id<DeliveryId>(delivery), isOwn: own !== null }
}

function ownOf(moment: Moment): string | null {
  if (moment.deliveryId === null || !('call' in moment)) return moment.deliveryId
  const { tool, harnessTool, command, cwd, paths, content } = moment.call
  return `${moment.deliveryId}~${hashOf(JSON.stringify([tool, harnessTool, command, cwd, paths, content])).slice(0, 12)}`
}

/** Of a moment that bears an id which was used long ago. */
export function anewOf(delivery: DeliveryId): DeliveryId {
  return id<DeliveryId>(`${delivery}~${randomBytes(6).toString('hex')}`)
}

/** The id as the event told it. */
export function asTold(delivery: string): string {
  return delivery.replace(MADE, '')
}
