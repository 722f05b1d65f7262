import { defineTool } from 'troupe'
import { z } from 'zod'

const TOTALS: ReadonlyMap<string, number> = new Map([['7', 80]])

/** Finds an order. Replace it and `refund` with calls of your shop. */
export const findOrder = defineTool({
  name: 'findOrder',
  description: 'Finds an order by its number.',
  input: z.object({ number: z.string() }),
  effect: 'read',
  execute: ({ number }) => ({ number, total: TOTALS.get(number) ?? null }),
})

export const refund = defineTool({
  name: 'refund',
  description: 'Pays the total of an order back, in euros.',
  input: z.object({ number: z.string() }),
  requiresApproval: true,
  execute({ number }) {
    const total = TOTALS.get(number)
    if (total === undefined) throw new Error(`There is no order ${number}.`)
    return `${total} euros are on their way.`
  },
})
