import type { LanguageModelV4Usage } from '@ai-sdk/provider'
import type { ModelPrice, Usage } from '@troupe/schema'

/**
 * Converts the reported usage of one model call. Missing counts are 0 and mark the call as estimated; a
 * missing price marks it as unpriced.
 */
export function toUsage(reported: LanguageModelV4Usage | undefined, price: ModelPrice | undefined): Usage {
  const input = reported?.inputTokens.total
  const output = reported?.outputTokens.total
  const usage = {
    input: input ?? 0,
    output: output ?? 0,
    cacheRead: reported?.inputTokens.cacheRead ?? 0,
    cacheWrite: reported?.inputTokens.cacheWrite ?? 0,
    reasoning: reported?.outputTokens.reasoning ?? 0,
    micros: 0,
    modelCalls: 1,
    toolCalls: 0,
    unpriced: price === undefined ? 1 : 0,
    estimated: input === undefined || output === undefined ? 1 : 0,
  }
  if (price !== undefined) usage.micros = costOf(usage, price)
  return usage
}

/** Returns the cost in micro-USD, rounded up. Cached input has its own price if one is known. */
function costOf(
  counts: Pick<Usage, 'input' | 'output' | 'cacheRead' | 'cacheWrite'>,
  price: ModelPrice,
): number {
  const plain = Math.max(0, counts.input - counts.cacheRead - counts.cacheWrite)
  const perMillion =
    plain * price.input +
    counts.cacheRead * (price.cacheRead ?? price.input) +
    counts.cacheWrite * (price.cacheWrite ?? price.input) +
    counts.output * price.output
  return Math.ceil(perMillion / 1_000_000)
}
