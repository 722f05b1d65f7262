import { APICallError } from '@ai-sdk/provider'
import type { RunResult } from '@troupe/schema/ports'
import { scriptedModel } from '@troupe/testkit'
import { fakeClock, recordEvents, settle, type FakeClock } from '@troupe/testkit/internal'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createProviderLimiter } from '../src/index.ts'
import { AdaptiveLimit, type CountedCall } from '../src/limiter/adaptive-limit.ts'
import { seededRandom } from './seeded-random.ts'
import { runTeam } from './team.ts'

/** A provider's reaction to one request: an answer, or one of four failures. */
type Behaviour = 'answer' | 'refuse' | 'fail' | 'cut' | 'hang'

/** A provider in this process. It receives the number of the run, the number of the attempt and the open requests. */
type Provider = (request: {
  readonly run: number
  readonly attempt: number
  readonly open: number
}) => Behaviour

const ANSWER_MS = 1000
const IDLE_MS = 4000
const RETRY_AFTER_MS = 1000

interface Simulation {
  readonly clock: FakeClock
  readonly limiter: ReturnType<typeof createProviderLimiter>
  readonly provider: Provider
  readonly random: () => number
  readonly maxRetries: number
}

interface Outcome {
  readonly result: RunResult
  readonly retries: number
  readonly warnings: readonly string[]
  /** When the run ended. */
  readonly at: number
}

/** Creates a counter of the requests of a simulation. */
function counter() {
  return { sent: 0, refused: 0, open: 0, most: 0 }
}

/** Runs agents in parallel, each with one turn, in virtual time. */
async function simulate(
  runs: readonly number[],
  { clock, limiter, provider, random, maxRetries }: Simulation,
  count = counter(),
): Promise<readonly Outcome[]> {
  const one = async (run: number): Promise<Outcome> => {
    let attempt = 0
    const record = recordEvents()
    const model = scriptedModel(async (_prompt, { options }) => {
      count.sent += 1
      count.most = Math.max(count.most, (count.open += 1))
      const behaviour = provider({ run, attempt: attempt++, open: count.open })
      if (behaviour === 'refuse') count.refused += 1
      try {
        return await behave(behaviour, { clock, signal: options.abortSignal })
      } finally {
        count.open -= 1
      }
    })
    const fields = { limits: { maxRetries, idleTimeout: IDLE_MS } }
    const result = await runTeam(
      { A: { fields, models: [model] } },
      { clock, limiter, random, listener: record.listener },
    )
    const warnings = record.of('warning').map(({ code }) => code)
    return { result, retries: record.of('model-retry').length, warnings, at: clock.monotonic() }
  }
  return finish(clock, Promise.all(runs.map(one)))
}

async function behave(
  behaviour: Behaviour,
  { clock, signal }: { readonly clock: FakeClock; readonly signal: AbortSignal | undefined },
) {
  if (behaviour === 'refuse') return { error: statusError(429) }
  if (behaviour === 'fail') return { error: statusError(500) }
  await new Promise<void>((resolve) => {
    if (behaviour !== 'hang') clock.after(behaviour === 'cut' ? ANSWER_MS / 2 : ANSWER_MS, resolve)
    signal?.addEventListener('abort', () => resolve(), { once: true })
  })
  return behaviour === 'cut' ? { error: new TypeError('terminated') } : { text: 'done' }
}

function statusError(statusCode: number): APICallError {
  const responseHeaders = statusCode === 429 ? { 'retry-after': String(RETRY_AFTER_MS / 1000) } : {}
  return new APICallError({ message: 'no', url: 'x:', requestBodyValues: {}, statusCode, responseHeaders })
}

/** Advances virtual time until the work is done. */
async function finish<T>(clock: FakeClock, work: Promise<T>): Promise<T> {
  const state = { isOver: false }
  const over = work.finally(() => (state.isOver = true))
  await settle()
  while (!state.isOver) await clock.advance(100)
  return over
}

/** Makes the same calls with a client that only backs off for itself. Returns when the last of them ended, and how many were answered. */
async function simulatePlainClient(
  runs: readonly number[],
  { clock, provider, random, maxRetries }: Omit<Simulation, 'limiter'>,
): Promise<{ readonly at: number; readonly answered: number }> {
  const sleep = (ms: number): Promise<void> => new Promise((resolve) => clock.after(ms, resolve))
  const takes = { answer: ANSWER_MS, refuse: 0, fail: 0, cut: ANSWER_MS / 2, hang: IDLE_MS }
  const one = async (run: number): Promise<boolean> => {
    for (let attempt = 0; attempt <= maxRetries; attempt += 1) {
      const behaviour = provider({ run, attempt, open: 0 })
      await sleep(takes[behaviour])
      if (behaviour === 'answer') return true
      const backoffMs = random() * Math.min(8000, 1000 * 2 ** attempt)
      if (attempt < maxRetries) await sleep(behaviour === 'refuse' ? RETRY_AFTER_MS : backoffMs)
    }
    return false
  }
  const answered = await finish(clock, Promise.all(runs.map(one)))
  return { at: clock.monotonic(), answered: answered.filter(Boolean).length }
}

/** Returns a provider that fails as often as the shares say. The same seed fails the same attempts. */
function flakyProvider(seed: number, mix: Readonly<Record<Exclude<Behaviour, 'answer'>, number>>): Provider {
  return ({ run, attempt }) => {
    let rest = seededRandom(seed * 1_000_003 + run * 101 + attempt)()
    for (const behaviour of ['refuse', 'fail', 'cut', 'hang'] as const) {
      if (rest < mix[behaviour]) return behaviour
      rest -= mix[behaviour]
    }
    return 'answer'
  }
}

describe('the adaptive limit', () => {
  it('the adaptive limit is never below one and never exceeded, whatever happens to the calls', () => {
    const step = fc.tuple(
      fc.constantFrom('begin', 'begin', 'answered', 'throttled', 'other', 'restart', 'pass'),
      fc.nat(3000),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const limit = new AdaptiveLimit()
        const open: { readonly call: CountedCall; readonly at: number }[] = []
        let now = 0
        /** The most calls above the limit. */
        let most = 0
        for (const [what, amount] of steps) {
          if (what === 'pass') now += amount
          else if (what === 'restart') limit.restart(now)
          else if (what !== 'begin') {
            const [ended] = open.splice(amount % Math.max(1, open.length), 1)
            if (ended !== undefined) limit.end(ended.call, now, what)
          } else if (limit.waitMs(now) === 0) {
            open.push({ call: limit.begin(now), at: now })
            // calls of the last ten seconds, by whole seconds
            const counted = open.filter(({ at }) => Math.floor(at / 1000) > Math.floor(now / 1000) - 10)
            most = Math.max(most, counted.length - limit.limit)
          }
          expect(limit.limit).toBeGreaterThanOrEqual(1)
          expect(limit.waitMs(now)).toBeLessThanOrEqual(10_000)
        }
        expect(most).toBe(0)
      }),
    )
  })
})

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index)

function simulation(provider: Provider, seed: number, maxRetries: number): Simulation {
  const clock = fakeClock()
  const random = seededRandom(seed)
  return { clock, random, provider, maxRetries, limiter: createProviderLimiter({ clock, random }) }
}

describe('a provider that fails at random', () => {
  it('a provider that fails at random fails no call that has retries left, whatever the mix of its faults', async () => {
    const share = (most: number) => fc.integer({ min: 0, max: most }).map((percent) => percent / 100)
    const mixes = fc.record({ refuse: share(40), fail: share(40), cut: share(15), hang: share(10) })
    await fc.assert(
      fc.asyncProperty(fc.nat(), mixes, fc.nat(4), async (seed, mix, maxRetries) => {
        const ends = await simulate(numbers(25), simulation(flakyProvider(seed, mix), seed, maxRetries))
        const early = ends.filter(
          ({ result, retries }) => result.failure !== undefined && retries < maxRetries,
        )
        expect(early).toEqual([])
      }),
      { numRuns: 12 },
    )
  })

  it('a provider that fails at random costs about as much time as with plain backoff, and as many runs complete', async () => {
    const mix = { refuse: 0.15, fail: 0.15, cut: 0.1, hang: 0.05 }
    const runs = numbers(300)
    const ends = await simulate(runs, simulation(flakyProvider(7, mix), 1, 6))
    const plain = await simulatePlainClient(runs, simulation(flakyProvider(7, mix), 1, 6))
    const completed = ends.filter(({ result }) => result.outcome === 'completed').length
    expect(completed).toBe(plain.answered)
    expect(Math.max(...ends.map(({ at }) => at))).toBeLessThanOrEqual(plain.at * 1.2)
  })
})

describe('a provider with a capacity of ten calls at once', () => {
  const CAPACITY = 10
  const limited: Provider = ({ open }) => (open > CAPACITY ? 'refuse' : 'answer')

  it('a provider with a capacity of ten gets about ten calls at once: all are answered, and few are rejected', async () => {
    const count = counter()
    const ends = await simulate(numbers(200), simulation(limited, 3, 6), count)
    expect(ends.filter(({ result }) => result.outcome !== 'completed')).toEqual([])
    // all were sent at once before any answer arrived
    expect(count.refused).toBeLessThanOrEqual(200 + 100)
    const ideal = (200 / CAPACITY) * ANSWER_MS
    expect(Math.max(...ends.map(({ at }) => at))).toBeLessThanOrEqual(ideal * 1.5)
  })

  it('a provider gets more calls at once again when its capacity grows', async () => {
    let capacity = CAPACITY
    const provider: Provider = ({ open }) => (open > capacity ? 'refuse' : 'answer')
    const world = simulation(provider, 4, 6)
    await simulate(numbers(100), world)
    capacity = Infinity
    await world.clock.advance(60_000)
    await simulate(numbers(200), world)
    const count = counter()
    await simulate(numbers(200), world, count)
    expect(count).toMatchObject({ refused: 0, sent: 200 })
    expect(count.most).toBeGreaterThanOrEqual(CAPACITY * 4)
  })
})

describe('a provider that is down', () => {
  it('a provider that is down gets only a few probes, fails calls after all their retries, and gets every call once it works', async () => {
    let isUp = false
    const world = simulation(() => (isUp ? 'answer' : 'fail'), 5, 6)
    const count = counter()
    const ends = await simulate(numbers(100), world, count)
    expect(new Set(ends.map(({ retries }) => retries))).toEqual(new Set([6]))
    expect(ends.filter(({ result }) => result.outcome !== 'failed')).toEqual([])
    expect(ends.flatMap(({ warnings }) => warnings)).toContain('model_unavailable')
    // one request of each, sent before any answer arrived, and three probes for each retry
    expect(count.sent).toBeLessThanOrEqual(100 + 30)

    isUp = true
    const later = await simulate(numbers(100), world)
    expect(later.filter(({ result }) => result.outcome !== 'completed')).toEqual([])
    expect(later.flatMap(({ warnings }) => warnings)).toContain('model_available')
  })

  it('calls that wait for a provider that is down do not fail if it comes back in time', async () => {
    const world = simulation(() => (world.clock.monotonic() < 40_000 ? 'fail' : 'answer'), 6, 6)
    const ends = await simulate(numbers(100), world)
    expect(ends.filter(({ result }) => result.outcome !== 'completed')).toEqual([])
  })
})
