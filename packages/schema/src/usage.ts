/** What model and tool calls used. Money is whole micro-USD everywhere. Reasoning tokens are part of `output`, cached ones of `input`. */
export interface Usage {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly reasoning: number
  readonly micros: number
  readonly modelCalls: number
  readonly toolCalls: number
  /** Model calls whose price is not known; their cost is not in `micros`. */
  readonly unpriced: number
  /** Model calls whose token counts the provider did not report. */
  readonly estimated: number
}

/** No usage at all. */
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

/** The sum of two usages. */
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

/** The sum of any number of usages. */
export function sumUsage(all: Iterable<Usage>): Usage {
  let sum = NO_USAGE
  for (const usage of all) sum = addUsage(sum, usage)
  return sum
}
