import { APPROVAL_EXPIRY_MS, errorMessage, failure, type Deadline, type MaybePromise } from '@troupe/schema'
import type { Run } from '../session/run.ts'
import { createStop, untilStop, type Stop } from '../time/stop.ts'

/** The answer of a person, or the reason that there is none. */
export type PersonSaid<T> = { readonly answer: T } | { readonly reason: string }

/**
 * Waits for human input, at most `limits.approvalTimeout`, or seven days if the run can be suspended.
 * Meanwhile the deadline and all deadlines above it are paused. Asks only after the request is persisted.
 * Never rejects.
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
