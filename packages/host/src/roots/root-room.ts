import { createWaitingRoom, type OpenWaitingRoom, type Stop } from '@troupe/core'
import { failure, type Failure } from '@troupe/schema'
import type { OpenedRoot } from './root-run.ts'
import type { RootsContext } from './roots-context.ts'

/** The approval gate of one root run. */
export interface RootRoom {
  /** `undefined` if the root run must not be suspended. */
  readonly waiting: OpenWaitingRoom | undefined
  /** Resolves when a suspended root run has released its lease. */
  close(): Promise<void>
}

/**
 * Opens the approval gate of a root run. A run that only waits for decisions is suspended: its log is closed
 * first, so that its end is not persisted, then it is cancelled.
 */
export function openRoom(root: OpenedRoot, { clock, rooms }: RootsContext, stop: Stop): RootRoom {
  const { runId } = root.request
  let closing: unknown
  const leave = (approvalIds: readonly string[]): void => {
    closing = root.log.close()
    stop.stop(waitingFailure(runId, approvalIds))
  }
  const waiting = mayWait(root) ? createWaitingRoom({ clock, leave }) : undefined
  if (waiting !== undefined) rooms.set(runId, waiting)
  return {
    waiting,
    async close() {
      rooms.delete(runId)
      await closing
    },
  }
}

/** Returns true if the run can be suspended, which requires a full log. */
function mayWait({ options, log }: OpenedRoot): boolean {
  const { wait, approve, ask } = options
  return wait === true && (approve === undefined || ask === undefined) && log.keeps
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
