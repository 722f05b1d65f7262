import type { Outcome } from '@troupe/schema'
import type { CallView, RunView } from '@troupe/timeline'

/** How a run or a call stands, in the words that the page has a picture for. */
export type ShownState = Outcome | 'running' | 'queued' | 'waiting' | 'interrupted' | 'damaged'

/** How a run stands. */
export function runState({ state, outcome }: Pick<RunView, 'state' | 'outcome'>): ShownState {
  if (state === 'done') return outcome ?? 'failed'
  return state
}

/** How a call stands: one that a person is asked about waits. */
export function callState(call: CallView, run: Pick<RunView, 'approvals'>): ShownState {
  if (call.state === 'done') return call.outcome ?? 'failed'
  if (run.approvals.some(({ callId }) => callId === call.callId)) return 'waiting'
  return call.state
}
