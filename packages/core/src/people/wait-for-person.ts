import { APPROVAL_EXPIRY_MS, errorMessage, failure, type Deadline, type MaybePromise } from '@troupe/schema'
import type { Run } from '../session/run.ts'
import { createStop, untilStop, type Stop } from '../time/stop.ts'

/** What a person said, or why there is no answer. */
export type PersonSaid<T> = { readonly answer: T } | { readonly reason: string }

/**
 * Waits for a person, `limits.approvalTimeout` at most, seven days where the run is left meanwhile. The deadline and all clocks above it stand still meanwhile (decision 5), and
 * nobody is asked before it is kept that somebody was. Never rejects.
 */
export async function waitForPerson<T extends object>(
  run: Run,
  clocks: { readonly deadline: Deadline | undefined; readonly stop: Stop },
  ask: (signal: AbortSignal) => MaybePromise<T>,
): Promise<PersonSaid<T>> {
  const resume = clocks.deadline?.pause()
  const stop = createStop(clocks.stop)
  const ms = run.root.waiting === undefined ? run.definition.limits.approvalTimeout : APPROVAL_EXPIRY_MS
  const cancel = run.root.clock.after(ms, () =>
    stop.stop(failure('approval_denied', `nobody answered within ${ms} ms`)),
  )
  try {
    await run.root.log.durable()
    const answer = await untilStop(Promise.resolve(ask(stop.signal)), stop)
    return answer === undefined ? { reason: stop.reason?.message ?? 'the run was stopped' } : { answer }
  } catch (thrown) {
    return { reason: `asking failed: ${errorMessage(thrown)}` }
  } finally {
    cancel()
    stop.detach()
    resume?.()
  }
}
