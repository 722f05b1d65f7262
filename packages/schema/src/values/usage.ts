/**
 * Usage of model and tool calls. Costs are in whole micro-USD. Reasoning tokens are included in `output`,
 * cached tokens in `input`.
 */
export interface Usage {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly reasoning: number
  readonly micros: number
  readonly modelCalls: number
  readonly toolCalls: number
  /** Number of model calls whose price is not known. Their cost is not included in `micros`. */
  readonly unpriced: number
  /** Number of model calls whose token counts the provider did not report. */
  readonly estimated: number
}

/** Zero usage. */
export const NO_USAGE: Usage = Object.freeze({
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  reasoning: 0,
  micros: 0,
  modelCalls: 0,
  toolCalls: 0,
  unpriced: 0,
  estimated: 0,
})

/** Returns the sum of two usages. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    reasoning: a.reasoning + b.reasoning,
    micros: a.micros + b.micros,
    modelCalls: a.modelCalls + b.modelCalls,
    toolCalls: a.toolCalls + b.toolCalls,
    unpriced: a.unpriced + b.unpriced,
    estimated: a.estimated + b.estimated,
  }
}

/** Returns the sum of any number of usages. */
export function sumUsage(all: Iterable<Usage>): Usage {
  let sum = NO_USAGE
  for (const usage of all) sum = addUsage(sum, usage)
  return sum
}
