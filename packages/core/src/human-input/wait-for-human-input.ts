import { APPROVAL_EXPIRY_MS, errorMessage, failure, type Deadline, type MaybePromise } from '@troupe/schema'
import type { Run } from '../session/run.ts'
import { createCancellation, raceCancellation, type Cancellation } from '../time/cancellation.ts'

/** The answer of a person, or the reason that there is none. */
export type HumanResponse<T> = { readonly answer: T } | { readonly reason: string }

/**
 * Waits for human input, at most `limits.approvalTimeout`, or seven days if the run can be suspended.
 * Meanwhile the deadline and all deadlines above it are paused. Asks only after the request is persisted.
 * Never rejects.
 */
export async function waitForHumanInput<T extends object>(
  run: Run,
  clocks: { readonly deadline: Deadline | undefined; readonly cancellation: Cancellation },
  ask: (signal: AbortSignal) => MaybePromise<T>,
): Promise<HumanResponse<T>> {
  const resume = clocks.deadline?.pause()
  const cancellation = createCancellation(clocks.cancellation)
  const ms = run.root.approvalGate === undefined ? run.definition.limits.approvalTimeout : APPROVAL_EXPIRY_MS
  const cancel = run.root.clock.after(ms, () =>
    cancellation.cancel(failure('approval_denied', `nobody answered within ${ms} ms`)),
  )
  try {
    await run.root.log.waitForCommit()
    const answer = await raceCancellation(Promise.resolve(ask(cancellation.signal)), cancellation)
    return answer === undefined
      ? { reason: cancellation.reason?.message ?? 'the run was stopped' }
      : { answer }
  } catch (thrown) {
    return { reason: `asking failed: ${errorMessage(thrown)}` }
  } finally {
    cancel()
    cancellation.detach()
    resume?.()
  }
}
