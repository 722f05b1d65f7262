import { getOwn, type ModelPrice } from '@troupe/schema'
import { listPrice } from './list-prices.ts'
import type { ProviderPrice } from './model-context.ts'

const MICROS = 1_000_000

/** The price of the first of `names` that has one, else that of `*`: USD per million tokens become whole micro-USD per million tokens. None: undefined, so the model is unpriced. */
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

/** What a call of a provider's model costs: what the configuration says, else the list price. Behind any other address than the provider's own nothing is known. */
export function providerPrice(model: {
  readonly provider: string
  /** As the card says it, then as the provider is asked for it. */
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
