import { defineTool } from '@troupe/schema'
import { z } from 'zod'

/** A function tool with its types checked. */
export const reserve = defineTool({
  name: 'reserve',
  description: 'Reserves a book for a reader.',
  input: z.object({ book: z.string(), shelf: z.string(), reader: z.string() }),
  effect: 'idempotent',
  execute: ({ book, reader }) => `${book} is reserved for ${reader}.`,
})

/** A plain function; its properties hold the description for the model. */
export function readerOf({ card }: { readonly card: number }): string {
  return `Card ${card} is that of Ada, ada@example.org.`
}
readerOf.description = 'The reader that a library card belongs to.'
readerOf.effect = 'read'
readerOf.input = {
  type: 'object',
  properties: { card: { type: 'integer', minimum: 1 } },
  required: ['card'],
  additionalProperties: false,
}
