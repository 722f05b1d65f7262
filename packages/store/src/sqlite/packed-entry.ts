import type { LogEntry } from '@troupe/schema'
import { metadataEvent } from '../metadata-event.ts'
import { packPayload, type Payload } from './payload.ts'
import type { LeasedRoot } from './roots.ts'

/** An entry as it stands in its row. */
export interface PackedEntry {
  readonly event?: Payload
  /** Of a {@link KeptStep}. */
  readonly step?: Payload
}

/** Packs as much of an entry as its root keeps. */
export function packEntry(
  { runId, step, event }: LogEntry,
  { detail }: Pick<LeasedRoot, 'detail'>,
): PackedEntry {
  const isFull = detail === 'full'
  return {
    ...(event === undefined ? undefined : { event: packPayload(isFull ? event : metadataEvent(event)) }),
    ...(step === undefined || !isFull ? undefined : { step: packPayload([runId, step.key, step.value]) }),
  }
}
