import { createWaitingRoom, type OpenWaitingRoom, type Stop } from '@troupe/core'
import { failure, type Failure } from '@troupe/schema'
import type { OpenedRoot } from './root-run.ts'
import type { RootsContext } from './roots-context.ts'

/** Where the calls of one root wait for a person. */
export interface RootRoom {
  /** Undefined: nothing of the root may wait. */
  readonly waiting: OpenWaitingRoom | undefined
  /** Resolves when a root that was left has given back its lease. */
  close(): Promise<void>
}

/** A root that only waits is left: its log is closed, so that what it says of its end is not kept, and then it is stopped. */
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

/** Only what is kept as a whole can be left and taken up again. */
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
