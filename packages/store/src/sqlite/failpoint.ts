import type { LogEntry } from '@troupe/schema'

/**
 * For tests only: is told of everything that becomes durable. `written`: it stands in a transaction that is not committed yet; `committed`:
 * it is on the disk, and nobody has been told. A test ends the process there.
 */
export type Failpoint = (moment: 'written' | 'committed', what: string) => void

/** What an entry is called at a failpoint: its run and its step, or the kind of its event. */
export function entryName({ runId, step, event }: LogEntry): string {
  return `${runId} ${step?.key ?? event?.type ?? ''}`
}
