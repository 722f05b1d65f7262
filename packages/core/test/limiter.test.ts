import { fakeClock, settle, verifies, type FakeClock } from '@troupe/testkit/internal'
import type { Permit } from '@troupe/schema/ports'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createCancellation } from '../src/run/cancellation.ts'
import { HANDLE, hold, limiterWith, permitOf, refusedFor, watched } from './limited-calls.ts'
import { seededRandom } from './seeded-random.ts'

describe('a call that the provider rejects with Retry-After', () => {
  it('a call with Retry-After waits alone: other calls with the same key are sent meanwhile', async () => {
    const acquire = limiterWith(fakeClock())
    const refused = await permitOf(acquire())
    expect(refused.release(refusedFor(60_000)).retryAfterMs).toBe(60_000)
    expect(await acquire()).toHaveProperty('release')
  })

  it('a call with Retry-After waits exactly as long as the provider says if no other call waits', async () => {
    // 10 more than this is 10.000000000000007 more
    const clock = fakeClock()
    await clock.advance(55.552_618_828_039_75)
    const acquire = limiterWith(clock)
    const refused = await permitOf(acquire())
    expect(refused.release(refusedFor(10)).retryAfterMs).toBe(10)
  })

  it('a call with a Retry-After of zero backs off as without one', async () => {
    const acquire = limiterWith(fakeClock())
    const refused = await permitOf(acquire())
    expect(refused.release(refusedFor(0))).toEqual({})
  })

  it(`calls with Retry-After do not come back in step with a hundred others, nor too early ${verifies('C48')}`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), fc.integer({ min: 1000, max: 20_000 }), async (seed, retryAfterMs) => {
        const acquire = limiterWith(fakeClock(), seededRandom(seed))
        const permits = await hold(acquire, 100)
        const waits = permits
          .map((permit) => permit.release(refusedFor(retryAfterMs)).retryAfterMs ?? 0)
          .toSorted((a, b) => a - b)
        const inStep = waits.map((at) => waits.filter((other) => other >= at && other < at + 100).length)
        expect(waits[0]).toBe(retryAfterMs)
        expect(waits.at(-1)).toBeLessThanOrEqual(Math.ceil(retryAfterMs * 1.5))
        expect(Math.max(...inStep)).toBeLessThanOrEqual(60)
      }),
      { numRuns: 30 },
    )
  })
})

describe('the concurrency of a model', () => {
  it('the concurrency of a model is not limited as long as few calls are rejected', async () => {
    const acquire = limiterWith(fakeClock())
    const permits = await hold(acquire, 100)
    for (const permit of permits.slice(0, 15)) permit.release(refusedFor(1000))
    expect(await hold(acquire, 100)).toHaveLength(100)
  })

  it('the concurrency of a model falls to 0.7 of the calls in flight once more than a quarter of them are rejected', async () => {
    const clock = fakeClock()
    const acquire = limiterWith(clock)
    const permits = await hold(acquire, 40)
    for (const permit of permits.splice(0, 12)) permit.release(refusedFor(1000))
    for (const permit of permits.splice(0, 20)) permit.release({ isCancelled: true })
    await clock.advance(1000)
    // lowered by the 12th refusal, with 29 in flight
    expect((await roundTripOf(acquire)).length + permits.length).toBe(20)
  })

  it('the concurrency of a model falls to the number of accepted calls if more of the same round trip are rejected', async () => {
    const clock = fakeClock()
    const acquire = limiterWith(clock)
    const permits = await hold(acquire, 40)
    for (const permit of permits.splice(0, 35)) permit.release(refusedFor(1000))
    await clock.advance(1000)
    for (const permit of permits) permit.release({ isCancelled: true })
    expect(await roundTripOf(acquire)).toHaveLength(5)
  })

  it('the slot of a rejected call is not reused at once, unless a call is answered', async () => {
    const clock = fakeClock()
    const acquire = limiterWith(clock)
    await throttle(acquire, clock)
    const [first, second] = await roundTripOf(acquire)
    const waiting = [watched(acquire()), watched(acquire())]
    first?.release(refusedFor(1000))
    await settle()
    expect(waiting[0]?.value).toBeUndefined()
    second?.release({})
    await settle()
    expect(waiting[0]?.value).toHaveProperty('release')
  })

  it('the concurrency of a model does not fall below one call', async () => {
    const clock = fakeClock()
    const acquire = limiterWith(clock)
    for (let round = 0; round < 50; round += 1) {
      const permit = await permitOf(acquire())
      permit.release(refusedFor())
      await clock.advance(1000)
    }
    expect(await acquire()).toHaveProperty('release')
  })

  it('the concurrency of a model grows by one with every round trip of answered calls, and quickly after a minute without a rejection', async () => {
    const clock = fakeClock()
    const acquire = limiterWith(clock)
    await throttle(acquire, clock)
    const before = await roundTrip(acquire, clock)
    expect(await roundTrip(acquire, clock)).toBe(before + 1)
    await clock.advance(60_000)
    await roundTrip(acquire, clock)
    expect(await roundTrip(acquire, clock)).toBeGreaterThanOrEqual(before * 2)
  })

  it('the concurrency limit belongs to one model and key: other models and keys are not limited', async () => {
    const clock = fakeClock()
    const acquire = limiterWith(clock)
    await throttle(acquire, clock)
    const more = await hold((request) => acquire({ handle: { ...HANDLE, id: 'p/other' }, ...request }), 30)
    expect(more).toHaveLength(30)
    expect(await acquire({ handle: { ...HANDLE, limiterKey: 'p:2' } })).toHaveProperty('release')
  })

  it('the concurrency of a model is not used up by calls that hang: they no longer count after ten seconds', async () => {
    const clock = fakeClock()
    const acquire = limiterWith(clock)
    await throttle(acquire, clock)
    const hanging = await roundTripOf(acquire)
    const waiting = watched(acquire())
    await clock.advance(8000)
    expect(waiting.value).toBeUndefined()
    await clock.advance(3000)
    expect(waiting.value).toHaveProperty('release')
    expect(hanging.length).toBeGreaterThan(0)
  })

  it('permits are given in the order of the calls, and none to a cancelled call', async () => {
    const clock = fakeClock()
    const acquire = limiterWith(clock)
    await throttle(acquire, clock)
    const held = await roundTripOf(acquire)
    const stop = createCancellation()
    const order: number[] = []
    for (const index of [0, 1, 2, 3])
      void Promise.resolve(acquire(index === 1 ? { stop } : {})).then((permit) => permit && order.push(index))
    await settle()
    stop.cancel({ class: 'cancelled', code: 'run_cancelled', message: '', remediation: '' })
    for (const permit of held) permit.release({ code: 'model_bad_request' })
    await settle()
    expect(order).toEqual([0, 2, 3])
    expect(clock.pending()).toBe(0)
  })

  /** Lowers the limit to a few calls, all of which have ended. */
  async function throttle(acquire: ReturnType<typeof limiterWith>, clock: FakeClock): Promise<void> {
    const permits = await hold(acquire, 10)
    for (const permit of permits.splice(0, 4)) permit.release(refusedFor())
    for (const permit of permits) permit.release({ isCancelled: true })
    await clock.advance(1000)
  }

  /** Acquires permits until the limit is reached. */
  async function roundTripOf(acquire: ReturnType<typeof limiterWith>): Promise<Permit[]> {
    const permits: Permit[] = []
    for (;;) {
      const stop = createCancellation()
      const given = acquire({ stop })
      if (given instanceof Promise) {
        stop.cancel({ class: 'cancelled', code: 'run_cancelled', message: '', remediation: '' })
        await given
        return permits
      }
      permits.push(await permitOf(given))
    }
  }

  /** Sends as many calls as the limit allows, and answers all of them. Returns their number. */
  async function roundTrip(acquire: ReturnType<typeof limiterWith>, clock: FakeClock): Promise<number> {
    const permits = await roundTripOf(acquire)
    await clock.advance(1000)
    // as many wait as are answered, as in a program that always has more work
    const next = permits.map(() => acquire())
    for (const permit of permits) permit.release({})
    for (const permit of await Promise.all(next.map(permitOf))) permit.release({ isCancelled: true })
    return permits.length
  }
})

describe('the configured limits', () => {
  it('the configured limits send no more requests per minute than allowed, in order', async () => {
    const clock = fakeClock()
    const acquire = limiterWith(clock)
    const handle = { ...HANDLE, rateLimits: { requestsPerMinute: 2 } }
    const through: number[] = []
    for (const index of [0, 1, 2, 3, 4]) {
      void Promise.resolve(acquire({ handle })).then(() => through.push(index))
      await settle()
    }
    expect(through).toEqual([0, 1])
    await clock.advance(60_000)
    expect(through).toEqual([0, 1, 2, 3])
    await clock.advance(60_000)
    expect(through).toEqual([0, 1, 2, 3, 4])
  })

  it('the configured limits count the tokens per minute by actual usage once that is known', async () => {
    const clock = fakeClock()
    const acquire = limiterWith(clock)
    const request = { handle: { ...HANDLE, rateLimits: { tokensPerMinute: 100 } }, tokens: () => 60 }
    const first = await permitOf(acquire(request))
    const second = watched(acquire(request))
    await settle()
    expect(second.value).toBeUndefined()
    first.release({ tokens: 10 })
    await settle()
    expect(second.value).toHaveProperty('release')
  })

  it('the configured limits refuse a call that would wait too long, and say how long', async () => {
    const acquire = limiterWith(fakeClock())
    const handle = { ...HANDLE, rateLimits: { requestsPerMinute: 1 } }
    await permitOf(acquire({ handle }))
    expect(await acquire({ handle, maxWaitMs: 20_000 })).toEqual({ refused: 'rate', waitMs: 60_000 })
  })

  it('the configured limits apply to all models of a key together', async () => {
    const clock = fakeClock()
    const acquire = limiterWith(clock)
    const first = await permitOf(acquire({ handle: { ...HANDLE, maxConcurrentCalls: 1 } }))
    const second = watched(acquire({ handle: { ...HANDLE, id: 'p/other', maxConcurrentCalls: 1 } }))
    await settle()
    expect(second.value).toBeUndefined()
    first.release({})
    await settle()
    expect(second.value).toHaveProperty('release')
  })

  it('the configured limits release a call that is cancelled while it waits', async () => {
    const clock = fakeClock()
    const acquire = limiterWith(clock)
    const handle = { ...HANDLE, rateLimits: { requestsPerMinute: 1 } }
    await permitOf(acquire({ handle }))
    const stop = createCancellation()
    const waiting = watched(acquire({ handle, stop }))
    await settle()
    stop.cancel({ class: 'cancelled', code: 'run_cancelled', message: '', remediation: '' })
    await settle()
    expect(waiting.value).toBe('stopped')
    expect(clock.pending()).toBe(0)
  })
})
