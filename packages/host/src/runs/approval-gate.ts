import { createApprovalGate, type ApprovalGateControl, type Cancellation } from '@troupe/core'
import { failure, type Failure } from '@troupe/schema'
import type { OpenRootRun } from './root-run.ts'
import type { RootRunsContext } from './runs-context.ts'

/** The approval gate of one root run. */
interface RootApprovalGate {
  /** `undefined` if the root run must not be suspended. */
  readonly waiting: ApprovalGateControl | undefined
  /** Resolves when a suspended root run has released its lease. */
  close(): Promise<void>
}

/**
 * Opens the approval gate of a root run. A run that only waits for decisions is suspended: its log is closed
 * first, so that its end is not persisted, then it is cancelled.
 */
export function openApprovalGate(
  root: OpenRootRun,
  { clock, approvalGates }: RootRunsContext,
  stop: Cancellation,
): RootApprovalGate {
  const { runId } = root.request
  let closing: unknown
  const suspend = (approvalIds: readonly string[]): void => {
    closing = root.log.close()
    stop.cancel(waitingFailure(runId, approvalIds))
  }
  const waiting = isSuspendable(root) ? createApprovalGate({ clock, suspend }) : undefined
  if (waiting !== undefined) approvalGates.set(runId, waiting)
  return {
    waiting,
    async close() {
      approvalGates.delete(runId)
      await closing
    },
  }
}

/** Returns true if the run can be suspended, which requires a full log. */
function isSuspendable({ options, log }: OpenRootRun): boolean {
  const { wait, approve, ask } = options
  return wait === true && (approve === undefined || ask === undefined) && log.isPersistent
}

function waitingFailure(runId: string, approvalIds: readonly string[]): Failure {
  const [first = '', ...others] = approvalIds
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  return failure(
    'run_waiting',
    `The run waits for a decision on ${first}${more}.`,
    `Decide, and it goes on: troupe runs approve ${runId} ${first}`,
  )
}
