import type { StopReason } from '@agentclientprotocol/sdk'
import type { RunReport } from '@troupe/schema'

/** Why a turn ended, as ACP says it; undefined: it failed, which is an error. */
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
