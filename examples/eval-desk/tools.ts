const ORDERS: ReadonlyMap<string, string> = new Map([
  ['17', 'was sent yesterday'],
  ['23', 'is being packed'],
])

/** Finds an order of the shop by its number. */
export function findOrder({ number }: { readonly number: string }): string {
  return `Order ${number} ${ORDERS.get(number) ?? 'does not exist'}.`
}

findOrder.description = 'Finds an order of the shop by its number.'
findOrder.effect = 'read'
findOrder.input = {
  type: 'object',
  properties: { number: { type: 'string' } },
  required: ['number'],
  additionalProperties: false,
}
