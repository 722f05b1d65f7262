import type { StopReason } from '@agentclientprotocol/sdk'
import type { RunReport } from '@troupe/schema'

/** Returns the ACP stop reason of a run; `undefined` if it failed, which is sent as an error. */
export function toStopReason({
  outcome,
  error,
}: Pick<RunReport, 'outcome' | 'error'>): StopReason | undefined {
  if (outcome === 'completed') return 'end_turn'
  if (outcome === 'cancelled') return 'cancelled'
  if (outcome === 'denied') return 'refusal'
  if (outcome !== 'partial') return undefined
  return error?.code === 'turns_exceeded' ? 'max_turn_requests' : 'max_tokens'
}
