import { getOwn, type ModelPrice } from '@troupe/schema'
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

function inMicros({ input, output, cacheRead, cacheWrite }: ProviderPrice): ModelPrice {
  return {
    input: Math.round(input * MICROS),
    output: Math.round(output * MICROS),
    ...(cacheRead === undefined ? {} : { cacheRead: Math.round(cacheRead * MICROS) }),
    ...(cacheWrite === undefined ? {} : { cacheWrite: Math.round(cacheWrite * MICROS) }),
  }
}
