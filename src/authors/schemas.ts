/** The JSON Schemas that editors read, made from the very schemas that check entries and serving.json. */
import { z } from 'zod'
import { entrySchema } from '../stores/entry-schema.ts'
import { servingSchema } from '../stores/serving-schema.ts'

/** Names of the files in `schemas/`, and what stands in them. */
export function schemaFiles(): readonly { readonly name: string; readonly text: string }[] {
  return [
    { name: 'entry.schema.json', text: textOf('ContextMD: front matter of an entry', entrySchema) },
    { name: 'serving.schema.json', text: textOf('ContextMD: serving.json', servingSchema) },
  ]
}

function textOf(title: string, schema: z.ZodType): string {
  const { $schema, ...rest } = z.toJSONSchema(schema, { target: 'draft-7', io: 'input', reused: 'ref' })
  return `${JSON.stringify({ $schema, title, ...rest }, null, 2)}\n`
}
