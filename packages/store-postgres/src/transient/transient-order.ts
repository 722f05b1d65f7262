import type { Clock, RunEvent, RunListener } from '@troupe/schema'

/** The places of transient events between the stored events that a follower receives. */
export interface TransientOrder {
  /** Passes an event on, now or after the stored events before it. Drops it if it is late. */
  add(event: RunEvent): void
  /** Passes on the events that belong directly after a stored event. Call after each. */
  onStored(event: RunEvent): void
}

/** Maximum number of events that wait for stored events. */
const MAX_EARLY = 1000
/**
 * Time in ms after the start in which an event may belong to a turn that was read before the start. Far longer
 * than an event takes from its worker.
 */
const START_MS = 1000

/** Creates the order for a follower that receives stored events after `start`. */
export function createTransientOrder(
  start: number,
  { clock, listener }: { readonly clock: Pick<Clock, 'monotonic'>; readonly listener: RunListener },
): TransientOrder {
  const safeAt = clock.monotonic() + START_MS
  /** `seq` of the last stored event of each run. */
  const lastSeqs = new Map<string, number>()
  let early: RunEvent[] = []
  let position = start

  function pass(event: RunEvent): void {
    const { runId, after = 0 } = event
    const last = lastSeqs.get(runId) ?? (clock.monotonic() < safeAt ? start : 0)
    // Other runs of the run tree may have stored events since. Only those of the run itself end its turn.
    if (after >= last) listener({ ...event, after: position })
  }

  return {
    add(event) {
      if ((event.after ?? 0) <= position) pass(event)
      else if (early.length < MAX_EARLY) early.push(event)
    },
    onStored({ runId, seq = position }) {
      position = seq
      lastSeqs.set(runId, seq)
      if (early.length === 0) return
      const ready = early.filter(({ after = 0 }) => after <= position)
      early = early.filter(({ after = 0 }) => after > position)
      for (const event of ready) pass(event)
    },
  }
}
