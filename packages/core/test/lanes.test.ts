import { deferred, fakeClock, settle, verifies, type FakeClock } from '@troupe/testkit'
import type { LaneCall, LanePass, LaneRefusal, LaneReport } from '@troupe/schema'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLanes } from '../src/index.ts'
import { createStop } from '../src/time/stop.ts'

const limitedFor = (retryAfterMs?: number): LaneReport => ({
  code: 'model_rate_limited',
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
})
const overloaded: LaneReport = { code: 'model_overloaded' }

function lanesWith(clock: FakeClock, random: () => number = () => 0.5) {
  const lanes = createLanes({ clock, random })
  return (call: Partial<LaneCall> = {}) =>
    lanes.enter({
      handle: { lane: 'p:1' },
      stop: createStop(),
      patienceMs: 600_000,
      isLast: true,
      tokens: () => 0,
      ...call,
    })
}

async function passOf(given: ReturnType<ReturnType<typeof lanesWith>>): Promise<LanePass> {
  const pass = await given
  if (pass === undefined || 'refused' in pass) throw new TypeError(`not let through: ${JSON.stringify(pass)}`)
  return pass
}

/** What a call that may wait came to, as far as that is known. */
function watched(given: ReturnType<ReturnType<typeof lanesWith>>) {
  const state: { value?: LanePass | LaneRefusal | 'stopped' } = {}
  void Promise.resolve(given).then((value) => {
    state.value = value ?? 'stopped'
  })
  return state
}

describe('a lane', () => {
  it(`keeps every call of its key back as long as the provider asked one of them to ${verifies('C48')}`, async () => {
    const clock = fakeClock()
    const enter = lanesWith(clock)
    const first = await passOf(enter())
    expect(first.leave(limitedFor(1000)).waitMs).toBe(1000)
    const other = watched(enter())
    await clock.advance(999)
    expect(other.value).toBeUndefined()
    await clock.advance(200)
    expect(other.value).toHaveProperty('leave')
  })

  it('says the time that the provider asked for, wherever its clock stands', async () => {
    // where 10 more is 10.000000000000007 more
    const clock = fakeClock()
    await clock.advance(55.552_618_828_039_75)
    const enter = lanesWith(clock)
    const first = await passOf(enter())
    expect(first.leave(limitedFor(10)).waitMs).toBe(10)
  })

  it('does not hold back calls with another key', async () => {
    const clock = fakeClock()
    const enter = lanesWith(clock)
    const first = await passOf(enter())
    first.leave(limitedFor(60_000))
    expect(await enter({ handle: { lane: 'p:2' } })).toHaveProperty('leave')
  })

  it('refuses a call that cannot wait as long, and says how long it would be', async () => {
    const enter = lanesWith(fakeClock())
    const first = await passOf(enter())
    first.leave(limitedFor(90_000))
    expect(await enter({ patienceMs: 20_000 })).toEqual({ refused: 'rate', waitMs: 90_000 })
  })

  it('lets go of a call that is stopped while it waits', async () => {
    const clock = fakeClock()
    const enter = lanesWith(clock)
    const first = await passOf(enter())
    first.leave(limitedFor(1000))
    const stop = createStop()
    const waiting = watched(enter({ stop }))
    await settle()
    stop.stop({ class: 'cancelled', code: 'run_cancelled', message: '', remediation: '' })
    await settle()
    expect(waiting.value).toBe('stopped')
    expect(clock.pending()).toBe(0)
  })

  it('sends no more requests in a minute than the limit, in order', async () => {
    const clock = fakeClock()
    const enter = lanesWith(clock)
    const handle = { lane: 'p:1', laneLimits: { requestsPerMinute: 2 } }
    const through: number[] = []
    for (const index of [0, 1, 2, 3, 4]) {
      void Promise.resolve(enter({ handle })).then(() => through.push(index))
      await settle()
    }
    expect(through).toEqual([0, 1])
    await clock.advance(60_000)
    expect(through).toEqual([0, 1, 2, 3])
    await clock.advance(60_000)
    expect(through).toEqual([0, 1, 2, 3, 4])
  })

  it('counts the tokens of a minute, by what was really used once that is known', async () => {
    const clock = fakeClock()
    const enter = lanesWith(clock)
    const call = {
      handle: { lane: 'p:1', laneLimits: { tokensPerMinute: 100 } },
      tokens: () => 60,
    }
    const first = await passOf(enter(call))
    const second = watched(enter(call))
    await settle()
    expect(second.value).toBeUndefined()
    first.leave({ tokens: 10 })
    await clock.advance(60_000)
    expect(second.value).toHaveProperty('leave')
  })
})

describe('a provider that keeps failing', () => {
  async function fail(enter: ReturnType<typeof lanesWith>, times: number) {
    let news = {}
    for (let index = 0; index < times; index += 1) news = (await passOf(enter())).leave(overloaded)
    return news
  }

  it('is left alone after five failures in 30 s, and a call with another model hears it at once', async () => {
    const enter = lanesWith(fakeClock())
    expect(await fail(enter, 4)).toEqual({})
    expect(await fail(enter, 1)).toEqual({ closedForMs: 30_000 })
    expect(await enter({ isLast: false })).toEqual({ refused: 'failing', waitMs: 30_000 })
  })

  it('is not left alone for failures that are far apart, nor for limits of rate or wrong requests', async () => {
    const clock = fakeClock()
    const enter = lanesWith(clock)
    for (let index = 0; index < 9; index += 1) {
      ;(await passOf(enter())).leave(overloaded)
      await clock.advance(10_000)
    }
    for (let index = 0; index < 9; index += 1) (await passOf(enter())).leave({ code: 'model_bad_request' })
    expect(await enter()).toHaveProperty('leave')
  })

  it('is asked by one call as a probe, whose success lets all others through', async () => {
    const clock = fakeClock()
    const enter = lanesWith(clock)
    await fail(enter, 5)
    await clock.advance(30_000)
    const probe = await passOf(enter())
    expect(await enter({ isLast: false })).toMatchObject({ refused: 'failing' })
    expect(probe.leave({})).toEqual({ isOpenAgain: true })
    expect(await enter({ isLast: false })).toHaveProperty('leave')
  })

  it('is left alone again when the probe fails', async () => {
    const clock = fakeClock()
    const enter = lanesWith(clock)
    await fail(enter, 5)
    await clock.advance(30_000)
    const probe = await passOf(enter())
    expect(probe.leave(overloaded)).toEqual({ closedForMs: 30_000 })
  })

  it('is waited for once by a call that has no other model', async () => {
    const clock = fakeClock()
    const enter = lanesWith(clock)
    await fail(enter, 5)
    const waiting = watched(enter())
    await clock.advance(29_999)
    expect(waiting.value).toBeUndefined()
    await clock.advance(1000)
    expect(waiting.value).toHaveProperty('leave')
  })

  it('is one provider for all its keys', async () => {
    const enter = lanesWith(fakeClock())
    const endpoint = 'p'
    for (let index = 0; index < 5; index += 1)
      (await passOf(enter({ handle: { lane: `p:${index}`, endpoint } }))).leave(overloaded)
    expect(await enter({ handle: { lane: 'p:9', endpoint }, isLast: false })).toMatchObject({
      refused: 'failing',
    })
  })
})

describe('a hundred children', () => {
  /** All ask at once, all are told to slow down, and all come back as the lane tells them. */
  async function sendTimes(retryAfterMs: number | undefined, random: () => number) {
    const clock = fakeClock()
    const enter = lanesWith(clock, random)
    const sent: number[] = []
    const gate = deferred()
    const child = async (): Promise<void> => {
      const first = await passOf(enter())
      await gate.promise
      const { waitMs = 0 } = first.leave(limitedFor(retryAfterMs))
      await new Promise<void>((resolve) => clock.after(waitMs, resolve))
      await passOf(enter())
      sent.push(clock.monotonic())
    }
    const all = Promise.all(Array.from({ length: 100 }, child))
    await settle()
    gate.resolve()
    await clock.advance(300_000)
    await all
    return sent.toSorted((a, b) => a - b)
  }

  it(`do not retry in step, and not before the provider wants them ${verifies('C48')}`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer(),
        fc.option(fc.integer({ min: 0, max: 20_000 }), { nil: undefined }),
        async (seed, retryAfterMs) => {
          const sent = await sendTimes(retryAfterMs, seededRandom(seed))
          expect(sent).toHaveLength(100)
          expect(sent[0]).toBeGreaterThanOrEqual(retryAfterMs ?? 0)
          const inStep = sent.map((at) => sent.filter((other) => other >= at && other < at + 100).length)
          expect(Math.max(...inStep)).toBeLessThanOrEqual(25)
          expect((sent.at(-1) ?? 0) - (sent[0] ?? 0)).toBeGreaterThan(3000)
        },
      ),
      { numRuns: 30 },
    )
  })
})

/** mulberry32 */
function seededRandom(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
