import type { LogEntry } from '@troupe/schema/ports'

/**
 * For tests only. Called for everything that becomes durable: `written` within a transaction that is not
 * committed yet, `committed` when it is on disk but no event is emitted. A test ends the process there.
 */
export type Failpoint = (moment: 'written' | 'committed', what: string) => void

/** Returns the name of an entry at a failpoint: its run id, and its step key or event type. */
export function entryName({ runId, step, event }: LogEntry): string {
  return `${runId} ${step?.key ?? event?.type ?? ''}`
}
