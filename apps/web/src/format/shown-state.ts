import type { Outcome } from '@troupe/schema'
import type { CallView, TimelineRun } from '@troupe/timeline'
import type { RunViewState } from '../reducers/run-view-state.ts'

/** The states of a run or a call that have an icon. */
export type ShownState = Outcome | 'running' | 'queued' | 'waiting' | 'interrupted' | 'damaged'

/**
 * Returns the state of a run. In an interrupted tree, a run that has not ended is interrupted, unless it
 * waits for an approval.
 */
export function runState(
  { state, outcome, approvals }: Pick<TimelineRun, 'state' | 'outcome' | 'approvals'>,
  { interruptedAt }: Pick<RunViewState, 'interruptedAt'>,
): ShownState {
  if (state === 'done') return outcome ?? 'failed'
  if (interruptedAt !== undefined && approvals.length === 0) return 'interrupted'
  return state
}

/** Returns the state of a call. A call that needs an approval is waiting. */
export function callState(
  call: CallView,
  run: Pick<TimelineRun, 'approvals'>,
  { interruptedAt }: Pick<RunViewState, 'interruptedAt'>,
): ShownState {
  if (call.state === 'done') return call.outcome ?? 'failed'
  if (run.approvals.some(({ callId }) => callId === call.callId)) return 'waiting'
  return interruptedAt === undefined ? call.state : 'interrupted'
}
