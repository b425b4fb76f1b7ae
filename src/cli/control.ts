/** What the server answers to a person's wish (`off`, `on`, `lift`). */
import { z } from 'zod'
import type { Connection } from './connection.ts'

const ControlAnswer = z.object({
  state: z.enum(['serving', 'off', 'disabled']),
  offUntil: z.number().nullable(),
  lifted: z.number().optional(),
})

export async function control(connection: Connection, wish: object): Promise<z.infer<typeof ControlAnswer>> {
  return ControlAnswer.parse(await connection.post('/control', wish))
}
