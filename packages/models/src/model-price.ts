import { getOwn, type ModelPrice } from '@troupe/schema'
import { listPrice } from './list-prices.ts'
import type { ProviderPrice } from './model-context.ts'

const MICROS = 1_000_000

/**
 * Returns the first price among `names`, else that of `*`, in micro-USD per million tokens. `undefined` if
 * there is none.
 */
export function toModelPrice(
  prices: Readonly<Record<string, ProviderPrice>> | undefined,
  names: readonly string[],
): ModelPrice | undefined {
  for (const name of [...names, '*']) {
    const price = getOwn(prices ?? {}, name)
    if (price !== undefined) return inMicros(price)
  }
  return undefined
}

/**
 * Returns the configured price of a model, else the list price. List prices do not apply to other base URLs
 * than the provider's own.
 */
export function providerPrice(model: {
  readonly provider: string
  /** Name in the card, then name sent to the provider. */
  readonly names: readonly [string, string]
  readonly prices: Readonly<Record<string, ProviderPrice>> | undefined
  readonly isOwnAddress: boolean
}): ModelPrice | undefined {
  const configured = toModelPrice(model.prices, model.names)
  if (configured !== undefined || !model.isOwnAddress) return configured
  const listed = listPrice(model.provider, model.names[1])
  return listed === undefined ? undefined : inMicros(listed)
}

function inMicros({ input, output, cacheRead, cacheWrite }: ProviderPrice): ModelPrice {
  return {
    input: Math.round(input * MICROS),
    output: Math.round(output * MICROS),
    ...(cacheRead === undefined ? {} : { cacheRead: Math.round(cacheRead * MICROS) }),
    ...(cacheWrite === undefined ? {} : { cacheWrite: Math.round(cacheWrite * MICROS) }),
  }
}
