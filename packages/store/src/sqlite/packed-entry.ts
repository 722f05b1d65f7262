import type { LogEntry } from '@troupe/schema'
import { metadataEvent } from '../metadata-event.ts'
import { packPayload, type Payload } from './payload.ts'
import type { RunTreeLease } from './root-run-table.ts'

/** An entry in the form of its row. */
export interface PackedEntry {
  readonly event?: Payload
  /** A packed {@link StoredStep}. */
  readonly step?: Payload
}

/** Packs the part of an entry that its run tree persists. */
export function packEntry(
  { runId, step, event }: LogEntry,
  { detail }: Pick<RunTreeLease, 'detail'>,
): PackedEntry {
  const isFull = detail === 'full'
  return {
    ...(event === undefined ? undefined : { event: packPayload(isFull ? event : metadataEvent(event)) }),
    ...(step === undefined || !isFull ? undefined : { step: packPayload([runId, step.key, step.value]) }),
  }
}
