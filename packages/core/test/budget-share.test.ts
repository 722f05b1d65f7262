import type { ModelPrice, RunResult } from '@troupe/schema/ports'
import { scriptedModel } from '@troupe/testkit'
import { recordEvents, verifies } from '@troupe/testkit/internal'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runTeam } from './team.ts'

const CAP_MICROS = 50_000
/** The most that one call of a child costs here: a twentieth of the cap. */
const MOST_OF_A_CALL = CAP_MICROS / 20
/** Above the input bound of a call, of a child without tools and of one that calls children. */
const LEAF_INPUT = 200
const MIDDLE_INPUT = 1200
const USD = 1_000_000

interface Case {
  /** Micro-USD per million tokens. */
  readonly price: ModelPrice
  readonly children: number
  readonly maxParallel: number
  /** Output tokens of one call of a child. */
  readonly output: number
  /** Adds agents in between that call children themselves, and so reserve budget for their closing turns too. */
  readonly isNested: boolean
}

/** Prices from a tenth of a dollar to over a hundred; together the children need more than the cap, and each at most a twentieth of it. */
const greedyCase: fc.Arbitrary<Case> = fc
  .record({
    outputUsd: fc.double({ min: 0.5, max: 30, noNaN: true }),
    ratio: fc.double({ min: 0.05, max: 1, noNaN: true }),
    share: fc.double({ min: 0.6, max: 1, noNaN: true }),
    surplus: fc.integer({ min: 4, max: 40 }),
    maxParallel: fc.integer({ min: 1, max: 40 }),
    isNested: fc.boolean(),
  })
  .map(({ outputUsd, ratio, share, surplus, maxParallel, isNested }) => {
    const price = { input: Math.round(outputUsd * ratio * USD), output: Math.round(outputUsd * USD) }
    const inputMicros = ((isNested ? MIDDLE_INPUT : LEAF_INPUT) * price.input) / USD
    const output = Math.floor(((MOST_OF_A_CALL * share - inputMicros) * USD) / price.output)
    const children = Math.ceil(CAP_MICROS / ((output * price.output) / USD)) + surplus
    return { price, children, maxParallel, output, isNested }
  })
  // leave out cases with too few children to use up the cap, or too many for the time of a test
  .filter(({ output, children }) => output >= 64 && children <= 120)

describe('a cap in money for twenty and more greedy children', () => {
  it(`twenty and more greedy children use four fifths of a cap in money and never more than all of it, whatever the prices ${verifies('C51')}`, async () => {
    await fc.assert(
      fc.asyncProperty(greedyCase, async (input) => {
        const { result, outcomes } = await runGreedy(input)
        expect(result.usage.micros).toBeLessThanOrEqual(CAP_MICROS)
        expect(result.usage.micros).toBeGreaterThanOrEqual(CAP_MICROS * 0.8)
        expect(outcomes).toContain('completed')
      }),
      { numRuns: 100 },
    )
  })
})

async function runGreedy({ price, children, maxParallel, output, isNested }: Case): Promise<{
  readonly result: RunResult
  readonly outcomes: readonly string[]
}> {
  const greedy = scriptedModel((_prompt, { options }) => ({
    text: 'words',
    usage: { input: 30, output: options.maxOutputTokens ?? 0 },
  }))
  const below = isNested ? 'M' : 'B'
  const calls = Array.from({ length: children }, () => ({ tool: `agent__${below}`, args: { text: 'go' } }))
  const parent = scriptedModel([
    { calls, usage: { input: 50, output: 20 } },
    { text: 'summary', usage: { input: 80, output: 20 } },
  ])
  const middle = scriptedModel((prompt, { options }) => {
    const usage = { input: 60, output: 20 }
    return prompt.at(-1)?.role === 'user' && options.toolChoice?.type === 'auto'
      ? { calls: [{ tool: 'agent__B', args: { text: 'go' } }], usage }
      : { text: 'words', usage }
  })
  const record = recordEvents()
  const limits = { maxCost: CAP_MICROS / USD, maxParallel, maxRuns: 1000 }
  const result = await runTeam(
    {
      A: { fields: { limits }, models: [parent], children: [below], price },
      M: { fields: { maxOutputTokens: 100 }, models: [middle], children: ['B'], price },
      B: { fields: { maxOutputTokens: output }, models: [greedy], price },
    },
    { listener: record.listener },
  )
  const ends = record.of('run-end').filter((event) => event.agent === 'B')
  return { result, outcomes: ends.map((event) => event.outcome) }
}
