import type { Outcome } from '@troupe/schema'
import type { CallView, RunView } from '@troupe/timeline'
import type { Picture } from '../folds/picture.ts'

/** How a run or a call stands, in the words that the page has a picture for. */
export type ShownState = Outcome | 'running' | 'queued' | 'waiting' | 'interrupted' | 'damaged'

/** Returns how a run stands. In a picture that is interrupted, a run that has not ended is interrupted, unless a person can still answer it. */
export function runState(
  { state, outcome, approvals }: Pick<RunView, 'state' | 'outcome' | 'approvals'>,
  { interruptedAt }: Pick<Picture, 'interruptedAt'>,
): ShownState {
  if (state === 'done') return outcome ?? 'failed'
  if (interruptedAt !== undefined && approvals.length === 0) return 'interrupted'
  return state
}

/** Returns how a call stands: one that needs the answer of a person waits. */
export function callState(
  call: CallView,
  run: Pick<RunView, 'approvals'>,
  { interruptedAt }: Pick<Picture, 'interruptedAt'>,
): ShownState {
  if (call.state === 'done') return call.outcome ?? 'failed'
  if (run.approvals.some(({ callId }) => callId === call.callId)) return 'waiting'
  return interruptedAt === undefined ? call.state : 'interrupted'
}
