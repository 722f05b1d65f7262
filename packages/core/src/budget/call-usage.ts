import type { LanguageModelV4Usage } from '@ai-sdk/provider'
import type { ModelHandle, ModelPrice, Usage } from '@troupe/schema'

const BYTES_PER_TOKEN = 4
/** Larger counts are treated as wrong: no model reads or writes that many tokens. */
const LARGEST = 100_000_000

/** The counts of one model call. */
interface ModelCallCounts {
  readonly usage?: LanguageModelV4Usage | undefined
  /** True if nothing was generated. */
  readonly isFree?: boolean
  /** Number of characters received, including reasoning and arguments. */
  readonly received?: number
  /** Recorded usage, if the answer comes from a recording. */
  readonly replayed?: Usage
}

/**
 * Returns the usage of one model call. Missing or implausible counts are estimated at four bytes per token,
 * and the call is marked as estimated. A refused call used nothing.
 */
export function callUsage(answer: ModelCallCounts, { price }: ModelHandle, promptBytes: () => number): Usage {
  if (answer.replayed !== undefined) return answer.replayed
  if (answer.isFree === true) return { ...toUsage(undefined, price), estimated: 0 }
  const { usage, received = 0 } = answer
  const input = plausible(usage?.inputTokens.total, 1)
  const output = plausible(usage?.outputTokens.total, received > 0 ? 1 : 0)
  if (usage !== undefined && input !== undefined && output !== undefined) return toUsage(usage, price)
  const counted: LanguageModelV4Usage = {
    inputTokens: {
      total: input ?? Math.ceil(promptBytes() / BYTES_PER_TOKEN),
      noCache: undefined,
      cacheRead: undefined,
      cacheWrite: undefined,
    },
    outputTokens: {
      total: output ?? Math.ceil(received / BYTES_PER_TOKEN),
      text: undefined,
      reasoning: undefined,
    },
  }
  return { ...toUsage(counted, price), estimated: 1 }
}

function plausible(count: number | undefined, least: number): number | undefined {
  return count !== undefined && Number.isInteger(count) && count >= least && count <= LARGEST
    ? count
    : undefined
}

/**
 * Converts the reported usage of one model call. Missing counts are 0 and mark the call as estimated; a
 * missing price marks it as unpriced.
 */
function toUsage(reported: LanguageModelV4Usage | undefined, price: ModelPrice | undefined): Usage {
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
