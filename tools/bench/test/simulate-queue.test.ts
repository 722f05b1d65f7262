import { describe, expect, it } from 'vitest'
import { createRandom, simulateQueue, type QueueModel } from '../src/workers/simulate-queue.ts'

/** Returns a model with a constant rate and service times of the exponential distribution. */
function exponential(rate: number, fields: Partial<QueueModel> = {}): QueueModel {
  return {
    workers: 5,
    slots: 2,
    pollSeconds: 0,
    seconds: 200_000,
    rateAt: () => rate,
    peakRate: rate,
    serviceTime: (random) => -Math.log(1 - random()),
    ...fields,
  }
}

/** Returns the mean waiting time of a queue with `slots` slots and a mean service time of 1 (Erlang C). */
function erlangWait(slots: number, rate: number): number {
  let term = 1
  let sum = 0
  for (let index = 0; index < slots; index += 1) {
    sum += term
    term *= rate / (index + 1)
  }
  const waiting = (term * slots) / (slots - rate)
  return waiting / (sum + waiting) / (slots - rate)
}

describe('the simulation of a queue', () => {
  it.each([5, 7, 9])(
    'the mean wait of a simulated queue with %d runs per second is that of Erlang C',
    (rate) => {
      const { waits, utilisation } = simulateQueue(exponential(rate), createRandom(1))
      expect(utilisation).toBeCloseTo(rate / 10, 1)
      const expected = erlangWait(10, rate)
      expect(Math.abs(waits.mean - expected)).toBeLessThan(0.08 * expected + 0.001)
    },
  )

  it('the same seed gives the same result, and another seed another one', () => {
    const model = exponential(7, { seconds: 1000 })
    const results = [1, 1, 2].map((seed) => simulateQueue(model, createRandom(seed)))
    expect(results[1]).toEqual(results[0])
    expect(results[2]).not.toEqual(results[0])
  })

  it('a run of a simulated queue without load waits half a poll of a single worker, and less for several', () => {
    const load = { workers: 1, slots: 1000, pollSeconds: 0.05, seconds: 20_000 }
    const { waits: one } = simulateQueue(exponential(1, load), createRandom(1))
    const { waits: ten } = simulateQueue(
      exponential(1, { ...load, workers: 10, slots: 100 }),
      createRandom(1),
    )
    expect(one.mean).toBeCloseTo(0.025, 3)
    expect(ten.mean).toBeCloseTo(0.05 / 11, 3)
  })

  it('a rate that changes gives as many runs as its mean', () => {
    const model = exponential(8, { rateAt: (time) => (time < 100_000 ? 8 : 4) })
    const { runs } = simulateQueue(model, createRandom(3))
    expect(runs / 1_200_000).toBeCloseTo(1, 2)
  })
})
