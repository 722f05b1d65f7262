import { eventEnvelope, type EventDraft, type EventType, type JsonObject } from '@troupe/schema'
import type { CassetteEntry } from './cassette.ts'
import type { CassetteRun } from './cassette-runs.ts'

/** Restores the event of an entry that is taken from the recording. */
export function restoreEvent(
  entry: CassetteEntry,
  run: CassetteRun,
  { rootRunId, time }: { readonly rootRunId: string; readonly time: number },
): EventDraft {
  const { run: _, event: type, call: callId, ...payload } = entry
  return {
    ...eventEnvelope({ ...run, rootRunId, callId }, type as EventType, time),
    ...restorePayload(payload, type, run.runId),
  } as unknown as EventDraft
}

function restorePayload(payload: JsonObject, type: string, runId: string): JsonObject {
  const { approvalId } = payload
  if (typeof approvalId === 'string') return { ...payload, approvalId: `${runId}:${approvalId}` }
  if (type !== 'tool-start') return payload
  // The arguments that a hook changed are recorded, but are not part of the event.
  const { args: _, ...rest } = payload
  return rest
}
