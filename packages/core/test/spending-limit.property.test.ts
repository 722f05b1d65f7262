import type { CallBound, BudgetScope, Reservation } from '@troupe/schema/ports'
import { fakeClock } from '@troupe/testkit/internal'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSpendingLimit, createCancellation } from '../src/index.ts'

const PRICE = { input: 1_000_000, output: 2_000_000 }
const WINDOW_MS = 1000

const budget = fc.record(
  {
    maxTokens: fc.integer({ min: 50, max: 2000 }),
    maxCost: fc.double({ min: 0.0001, max: 0.01, noNaN: true }),
  },
  { requiredKeys: [] },
)
const call = fc.record({
  tree: fc.nat({ max: 4 }),
  inputTokens: fc.integer({ min: 0, max: 300 }),
  outputTokens: fc.integer({ min: 1, max: 600 }),
  isClosing: fc.boolean(),
})
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('call' as const), call }) },
  // selects a call in flight to end, and the part of its worst case that it used
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      at: fc.nat(),
      part: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('stop' as const), at: fc.nat() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('aside' as const),
      tree: fc.nat({ max: 4 }),
      tokens: fc.nat({ max: 500 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.nat({ max: 700 }) }) },
)

describe('a spending limit', () => {
  it('a spending limit is never exceeded by spent and reserved amounts in its window, however the calls of several run trees interleave', async () => {
    await fc.assert(
      fc.asyncProperty(
        budget,
        fc.array(budget, { minLength: 5, maxLength: 5 }),
        fc.array(step, { maxLength: 80 }),
        async (cap, own, steps) => {
          const clock = fakeClock(1_000_000)
          const limit = createSpendingLimit({ budget: cap, windowMs: WINDOW_MS, clock, name: (key) => key })
          const { maxTokens = Infinity, maxCost = Infinity } = cap
          const spent: { readonly at: number; readonly tokens: number; readonly micros: number }[] = []
          const pots = own.map((limits, index): BudgetScope => {
            const runId = `run-${index}`
            const pot = limit.openLedger().openScope({ runId, budget: limits, limitName: String })
            if (pot === undefined) throw new TypeError('a run below a limit has a budget')
            return pot
          })
          const flying: Reservation[] = []
          const waiting: { readonly stop: ReturnType<typeof createCancellation>; isOver: boolean }[] = []
          const check = (): void => {
            const used = spent.filter(({ at }) => at > clock.now() - WINDOW_MS)
            const sum = (kind: 'tokens' | 'micros'): number =>
              used.reduce((all, one) => all + one[kind], 0) +
              flying.reduce((all, { worst }) => all + worst[kind], 0)
            expect(sum('tokens')).toBeLessThanOrEqual(maxTokens)
            expect(sum('micros')).toBeLessThanOrEqual(Math.round(maxCost * 1_000_000))
            expect(limit.reserved().tokens).toBe(flying.reduce((all, { worst }) => all + worst.tokens, 0))
          }
          const begin = (bound: CallBound, pot: BudgetScope): void => {
            const stop = createCancellation()
            const entry = { stop, isOver: false }
            waiting.push(entry)
            const take = (given: Awaited<ReturnType<BudgetScope['reserve']>>): void => {
              entry.isOver = true
              if (given !== undefined && 'settle' in given) flying.push(given)
            }
            const given = pot.reserve(bound, stop)
            if (given instanceof Promise) void given.then(take)
            else take(given)
          }
          for (const one of steps) {
            if (one.kind === 'call') {
              const { tree, ...bound } = one.call
              const pot = pots[tree]
              if (pot !== undefined) begin({ ...bound, price: PRICE }, pot)
            } else if (one.kind === 'end') {
              const [reservation] = flying.splice(one.at % Math.max(1, flying.length), 1)
              if (reservation === undefined) continue
              const { worst } = reservation
              const used = {
                tokens: Math.floor(worst.tokens * one.part),
                micros: Math.floor(worst.micros * one.part),
              }
              spent.push({ at: clock.now(), ...used })
              reservation.settle(used)
            } else if (one.kind === 'stop') {
              const open = waiting.filter(({ isOver }) => !isOver)
              open[one.at % Math.max(1, open.length)]?.stop.cancel({
                class: 'cancelled',
                code: 'run_cancelled',
                message: '',
                remediation: '',
              })
            } else if (one.kind === 'aside')
              pots[one.tree]?.reserveForClosing({ tokens: one.tokens, micros: one.tokens })
            else await clock.advance(one.ms)
            // waiting reservations are settled in microtasks
            for (let turn = 0; turn < 5; turn += 1) await Promise.resolve()
            check()
          }
          // when all calls have ended, each reservation was granted or refused
          while (flying.length > 0) {
            for (const { settle } of flying.splice(0)) settle({ tokens: 0, micros: 0 })
            for (let turn = 0; turn < 5; turn += 1) await Promise.resolve()
            check()
          }
          expect(waiting.filter(({ isOver }) => !isOver)).toEqual([])
        },
      ),
      { numRuns: 300 },
    )
  })

  it('a spending limit does not delay a run because another run waits for its own budget', async () => {
    const clock = fakeClock()
    const limit = createSpendingLimit({
      budget: { maxTokens: 10_000 },
      windowMs: WINDOW_MS,
      clock,
      name: (key) => key,
    })
    const open = (runId: string, maxTokens: number): BudgetScope =>
      limit.openLedger().openScope({ runId, budget: { maxTokens }, limitName: String }) as BudgetScope
    const [small, large] = [open('small', 200), open('large', 5000)]
    const bound: CallBound = { inputTokens: 50, outputTokens: 100, price: undefined, isClosing: false }
    const first = small.reserve(bound)
    const second = small.reserve(bound)
    expect(first).not.toBeInstanceOf(Promise)
    expect(second).toBeInstanceOf(Promise)
    const other = large.reserve(bound)
    expect(other).toMatchObject({ maxOutputTokens: 100 })
    ;(first as Reservation).settle({ tokens: 10, micros: 0 })
    expect(await second).toMatchObject({ maxOutputTokens: 100 })
  })

  it('a spending limit does not count usage of a resumed run from before the interruption twice', () => {
    const clock = fakeClock(10_000)
    const past = [{ at: 10_000, tokens: 100, micros: 0 }]
    const limit = createSpendingLimit({
      budget: { maxTokens: 1000 },
      windowMs: WINDOW_MS,
      clock,
      name: (key) => key,
      past,
    })
    const pot = limit
      .openLedger({ maxTokens: 400 })
      .openScope({ runId: 'run', budget: {}, limitName: String, spent: { tokens: 100, micros: 0 } })
    expect(limit.used().tokens).toBe(100)
    const bound: CallBound = { inputTokens: 0, outputTokens: 5000, price: undefined, isClosing: false }
    expect(pot?.reserve(bound)).toMatchObject({ maxOutputTokens: 300 })
  })

  it('a spending limit counts what was spent before it was opened until that leaves the window, and says when', async () => {
    const clock = fakeClock(10_000)
    const past = [
      { at: 9500, tokens: 900, micros: 0 },
      { at: 8000, tokens: 5000, micros: 0 },
    ]
    const limit = createSpendingLimit({
      budget: { maxTokens: 950 },
      windowMs: WINDOW_MS,
      clock,
      name: (key) => `spending.${key}`,
      past,
    })
    expect(limit.used().tokens).toBe(900)
    expect(limit.exhaustedUntil()).toBe(10_510)
    const pot = limit.openLedger().openScope({ runId: 'run', budget: {}, limitName: String })
    const bound: CallBound = { inputTokens: 10, outputTokens: 100, price: undefined, isClosing: false }
    expect(pot?.reserve(bound)).toEqual({
      kind: 'tokens',
      used: 900,
      cap: 950,
      limit: 'spending.maxTokens',
      retryAt: 10_510,
      needs: { cap: 974, inputTokens: 10, least: 74, most: 110, outputTokens: 100 },
    })
    await clock.advance(510)
    expect(limit.exhaustedUntil()).toBeUndefined()
    expect(pot?.reserve(bound)).toMatchObject({ maxOutputTokens: 100 })
  })
})
