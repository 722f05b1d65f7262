import { troupeError } from '@troupe/schema'
import type { ModelHandle, ModelPrice } from '@troupe/schema/ports'
import type { ReportedUsage } from './recorded-model.ts'
import type { ModelRequest } from './request-key.ts'

/** Output tokens reserved for a call without a limit of its own. */
const DEFAULT_OUTPUT = 8192
const MICROS = 1_000_000

/** The limit on what all model calls of an evaluation cost together. Recorded answers cost nothing. */
export interface EvalSpending {
  /** True once a call was refused. */
  readonly isExceeded: boolean
  /**
   * Reserves the most that a call can cost, and returns a function that settles it. Waits while calls in
   * progress may leave enough. Throws `budget_exceeded` if the call does not fit, and `model_unpriced` if the
   * price is not known.
   */
  reserve(handle: ModelHandle, request: ModelRequest): Promise<(usage?: ReportedUsage) => void>
}

/** Creates a limit in USD. */
export function createEvalSpending(maxCost: number): EvalSpending {
  const cap = maxCost * MICROS
  let spent = 0
  let reserved = 0
  let isExceeded = false
  let wake = Promise.withResolvers<void>()

  function fits(worst: number): boolean {
    return spent + reserved + worst <= cap
  }

  function settle(worst: number, actual: number): void {
    reserved -= worst
    spent += actual
    wake.resolve()
    wake = Promise.withResolvers()
  }

  return {
    get isExceeded() {
      return isExceeded
    },
    async reserve({ id, price }, request) {
      if (price === undefined)
        throw troupeError(
          'model_unpriced',
          `The price of ${id} is not known, so the cost of the evaluation cannot be limited.`,
          { fix: 'Set it in `providers.<name>.prices`, or leave out `--max-cost`.' },
        )
      const worst = worstCost(price, request)
      while (!fits(worst)) {
        if (reserved === 0) {
          isExceeded = true
          throw troupeError(
            'budget_exceeded',
            `The budget of the evaluation does not allow another model call: ${spent / MICROS} of ${maxCost} USD are used, and the call may cost ${worst / MICROS}.`,
            { fix: 'Raise `--max-cost`, or evaluate fewer cases or repeats.' },
          )
        }
        await wake.promise
      }
      reserved += worst
      return (usage) => settle(worst, usage === undefined ? 0 : costOf(price, usage))
    },
  }
}

/** Returns the most that a request can cost in micro-USD: a token has at least one byte. */
function worstCost(
  price: ModelPrice,
  { prompt, tools = [], maxOutputTokens = DEFAULT_OUTPUT }: ModelRequest,
): number {
  const bytes = Buffer.byteLength(JSON.stringify([prompt, tools]))
  const input = Math.max(price.input, price.cacheRead ?? 0, price.cacheWrite ?? 0)
  return (bytes * input + maxOutputTokens * price.output) / MICROS
}

/** Returns the cost of a call in micro-USD. Prices are in micro-USD per million tokens. */
function costOf(price: ModelPrice, { inputTokens, outputTokens }: ReportedUsage): number {
  const { total = 0, cacheRead = 0, cacheWrite = 0 } = inputTokens
  const plain = Math.max(0, total - cacheRead - cacheWrite)
  const { input, output, cacheRead: read = input, cacheWrite: write = input } = price
  return (plain * input + cacheRead * read + cacheWrite * write + (outputTokens.total ?? 0) * output) / MICROS
}
