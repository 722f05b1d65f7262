import { addUsage, NO_USAGE, sumUsage, toUsageReport, type Usage } from '@troupe/schema'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

const count = fc.nat(1_000_000)
const usage: fc.Arbitrary<Usage> = fc.record({
  input: count,
  output: count,
  cacheRead: count,
  cacheWrite: count,
  reasoning: count,
  micros: count,
  modelCalls: count,
  toolCalls: count,
  unpriced: count,
  estimated: count,
})

describe('usage', () => {
  it('usage can be added in any order, with an empty usage as zero', () => {
    fc.assert(
      fc.property(usage, usage, usage, (a, b, c) => {
        expect(addUsage(a, addUsage(b, c))).toEqual(addUsage(addUsage(a, b), c))
        expect(addUsage(a, b)).toEqual(addUsage(b, a))
        expect(addUsage(a, NO_USAGE)).toEqual(a)
        expect(sumUsage([a, b, c])).toEqual(addUsage(addUsage(a, b), c))
      }),
    )
    expect(sumUsage([])).toEqual(NO_USAGE)
  })

  it('usage is formatted as text with its cost in USD', () => {
    const used = {
      ...NO_USAGE,
      input: 10,
      output: 5,
      cacheRead: 3,
      reasoning: 2,
      micros: 1_250_000,
      modelCalls: 1,
    }
    expect(toUsageReport(used, [])).toEqual({
      inputTokens: 10,
      cacheReadTokens: 3,
      cacheWriteTokens: 0,
      outputTokens: 5,
      reasoningTokens: 2,
      cost: 1.25,
      unpriced: [],
      estimated: false,
      modelCalls: 1,
      toolCalls: 0,
    })
  })

  it('usage has no cost if a price is unknown', () => {
    const report = toUsageReport({ ...NO_USAGE, micros: 5, unpriced: 1, estimated: 2 }, ['local/llama'])
    expect(report).toMatchObject({ cost: null, unpriced: ['local/llama'], estimated: true })
  })
})
