import type { ToolContext } from '@troupe/schema'

/** Finds an order. Order 13 has a total of the wrong type, as a broken service would return it. */
export function findOrder({ number }: { readonly number: string }): object {
  return { number, customer: 'C-77', email: 'ada@example.org', total: number === '13' ? 'unknown' : 80 }
}
findOrder.description = 'Finds an order by its number.'
findOrder.effect = 'read'
findOrder.input = { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] }

/** Returns how many pieces are left. The first attempt of each call fails. */
export function stock(_args: object, ctx: ToolContext): string {
  if (ctx.attempt === 1) throw new Error('The warehouse does not answer.')
  return '5 pieces'
}
stock.description = 'Returns how many pieces are left.'
stock.effect = 'read'

export function refund({ amount }: { readonly amount: number }): string {
  return `refunded ${amount} euros`
}
refund.description = 'Pays money back.'
refund.input = { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] }
