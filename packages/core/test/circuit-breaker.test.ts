import { fakeClock, settle } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { hold, limiterWith, overloaded, permitOf, watched } from './limited-calls.ts'

describe('the circuit breaker of a model', () => {
  async function fail(acquire: ReturnType<typeof limiterWith>, times: number, outcome = overloaded) {
    let notice = {}
    for (let index = 0; index < times; index += 1) notice = (await permitOf(acquire())).release(outcome)
    return notice
  }

  const OPENED = { opened: { to: 'open', forMs: 5000, failed: 10, calls: 10 } }

  it('the circuit breaker opens after ten calls that all failed, and a call with another model uses that at once', async () => {
    const acquire = limiterWith(fakeClock())
    expect(await fail(acquire, 9)).toEqual({})
    expect(await fail(acquire, 1)).toEqual(OPENED)
    expect(await acquire({ isLast: false })).toEqual({ refused: 'failing', waitMs: 5000 })
  })

  it('the circuit breaker stays closed while less than 70 % of the calls fail, however many calls there are', async () => {
    const acquire = limiterWith(fakeClock())
    for (let index = 0; index < 200; index += 1) {
      await fail(acquire, 3, {})
      await fail(acquire, 6)
    }
    expect(await acquire({ isLast: false })).toHaveProperty('release')
  })

  it('the circuit breaker counts calls in flight as not failed, because failures come back first', async () => {
    const acquire = limiterWith(fakeClock())
    const slow = await hold(acquire, 30)
    expect(await fail(acquire, 60)).toEqual({})
    expect(slow).toHaveLength(30)
  })

  it('the circuit breaker stays closed for failures that are far apart, for rate limits and for invalid requests', async () => {
    const clock = fakeClock()
    const acquire = limiterWith(clock)
    for (let index = 0; index < 20; index += 1) {
      await fail(acquire, 1)
      await clock.advance(10_000)
    }
    await fail(acquire, 20, { code: 'model_bad_request' })
    for (let index = 0; index < 20; index += 1) {
      await fail(acquire, 1, { code: 'model_rate_limited', isThrottled: true })
      await clock.advance(1000)
    }
    await fail(acquire, 20, { code: 'model_timeout', isCancelled: true })
    expect(await acquire({ isLast: false })).toHaveProperty('release')
  })

  it('an open circuit breaker allows three probes, and all other calls once two of them succeed', async () => {
    const clock = fakeClock()
    const acquire = limiterWith(clock)
    await fail(acquire, 10)
    await clock.advance(5000)
    const probes = await hold(acquire, 3)
    expect(await acquire({ isLast: false })).toMatchObject({ refused: 'failing' })
    expect(probes[0]?.release({})).toEqual({})
    expect(probes[1]?.release({})).toEqual({ isClosed: true })
    expect(await acquire({ isLast: false })).toHaveProperty('release')
    expect(probes[2]?.release(overloaded)).toEqual({})
  })

  it('the circuit breaker opens for twice as long each time two probes fail, up to 30 s', async () => {
    const clock = fakeClock()
    const acquire = limiterWith(clock)
    await fail(acquire, 10)
    for (const [before, after] of [
      [5000, 10_000],
      [10_000, 20_000],
      [20_000, 30_000],
      [30_000, 30_000],
    ] as const) {
      await clock.advance(before)
      expect(await fail(acquire, 2)).toEqual({
        opened: { to: 'open', forMs: after, failed: 2, calls: 2 },
      })
    }
  })

  it('the circuit breaker replaces probes that hang or were cancelled by their callers', async () => {
    const clock = fakeClock()
    const acquire = limiterWith(clock)
    await fail(acquire, 10)
    await clock.advance(5000)
    const [stopped] = await hold(acquire, 3)
    stopped?.release({ code: 'run_cancelled', isCancelled: true })
    await permitOf(acquire())
    const waiting = watched(acquire())
    await clock.advance(9000)
    expect(waiting.value).toBeUndefined()
    await clock.advance(1000)
    expect(waiting.value).toHaveProperty('release')
  })

  it('an open circuit breaker delays a call without another model until the probes are over, then fails its attempt', async () => {
    const clock = fakeClock()
    const acquire = limiterWith(clock)
    await fail(acquire, 10)
    const waits: number[] = []
    const calls = Array.from({ length: 5 }, () => watched(acquire({ onWait: (ms) => waits.push(ms) })))
    await clock.advance(5000)
    const probes = calls.map(({ value }) => value).filter((value) => typeof value === 'object')
    expect(probes).toHaveLength(3)
    expect(waits).toEqual([5000, 5000, 5000, 5000, 5000])
    for (const probe of probes) if ('release' in probe) probe.release(overloaded)
    await settle()
    expect(calls.slice(3).map(({ value }) => value)).toEqual([
      { refused: 'failing', waitMs: 10_000 },
      { refused: 'failing', waitMs: 10_000 },
    ])
  })

  it('an open circuit breaker refuses a call at once that cannot wait as long', async () => {
    const acquire = limiterWith(fakeClock())
    await fail(acquire, 10)
    expect(await acquire({ maxWaitMs: 4999 })).toEqual({ refused: 'failing', waitMs: 5000 })
  })

  it('the circuit breaker belongs to a provider and model, whatever the key', async () => {
    const acquire = limiterWith(fakeClock())
    const handleOf = (key: number, id = 'p/m') => ({ id, limiterKey: `p:${key}`, endpoint: 'p' })
    for (let key = 0; key < 10; key += 1)
      (await permitOf(acquire({ handle: handleOf(key) }))).release(overloaded)
    expect(await acquire({ handle: handleOf(99), isLast: false })).toMatchObject({ refused: 'failing' })
    expect(await acquire({ handle: handleOf(0, 'p/other'), isLast: false })).toHaveProperty('release')
  })

  it('the circuit breaker lets waiting calls return gradually and keeps none of them back for good', async () => {
    const clock = fakeClock()
    const acquire = limiterWith(clock)
    await fail(acquire, 10)
    let ended = 0
    let inFlight = 0
    let most = 0
    const call = async (): Promise<void> => {
      const permit = await permitOf(acquire())
      most = Math.max(most, (inFlight += 1))
      await new Promise<void>((resolve) => clock.after(100, resolve))
      inFlight -= 1
      ended += 1
      permit.release({})
    }
    const all = Promise.all(Array.from({ length: 300 }, call))
    await clock.advance(5000 + 150)
    expect(most).toBeLessThanOrEqual(8)
    await clock.advance(5000)
    await all
    expect(ended).toBe(300)
  })
})
