import type { ModelCallOutcome, Permit, PermitRefusal, PermitRequest } from '@troupe/schema/ports'
import type { FakeClock } from '@troupe/testkit/internal'
import { createProviderLimiter } from '../src/index.ts'
import { createCancellation } from '../src/run/cancellation.ts'

/** Returns the outcome of a call that got a 429. */
export const refusedFor = (retryAfterMs?: number): ModelCallOutcome => ({
  code: 'model_rate_limited',
  isThrottled: true,
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
})
/** The outcome of a call that got a 500. */
export const overloaded: ModelCallOutcome = { code: 'model_overloaded' }
/** A model and a key. */
export const HANDLE = { id: 'p/m', limiterKey: 'p:1' }

/** Creates a limiter. Returns its `acquire`, with a usual request as the default. */
export function limiterWith(clock: FakeClock, random: () => number = () => 0.5) {
  const limiter = createProviderLimiter({ clock, random })
  return (request: Partial<PermitRequest> = {}) =>
    limiter.acquire({
      handle: HANDLE,
      stop: createCancellation(),
      maxWaitMs: 600_000,
      isLast: true,
      tokens: () => 0,
      ...request,
    })
}

type Given = ReturnType<ReturnType<typeof limiterWith>>

/** Returns the permit. Rejects if the call is refused. */
export async function permitOf(given: Given): Promise<Permit> {
  const permit = await given
  if (permit === undefined || 'refused' in permit) throw new TypeError(`no permit: ${JSON.stringify(permit)}`)
  return permit
}

/** Records the result of a call that may wait. */
export function watched(given: Given) {
  const state: { value?: Permit | PermitRefusal | 'stopped' } = {}
  void Promise.resolve(given).then((value) => {
    state.value = value ?? 'stopped'
  })
  return state
}

/** Acquires permits for calls that are sent at once. */
export async function hold(acquire: ReturnType<typeof limiterWith>, count: number): Promise<Permit[]> {
  return Promise.all(Array.from({ length: count }, () => permitOf(acquire())))
}
