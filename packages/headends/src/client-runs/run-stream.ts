import type { Failure, RunEvent, RunListener, RunReport } from '@troupe/schema'
import { isFailure } from '../headend/errors.ts'

/** A started run with its events. */
export interface RunStream {
  /** Passes all events to the listener, from the first one. Call once. */
  listen(listener: RunListener): void
  readonly end: Promise<RunReport | Failure>
}

/** A run that failed before its first event. */
interface RefusedRun {
  readonly refusal: Failure
}

/**
 * Starts a run and waits for its first event, so that a run that cannot start gets an HTTP status of its own,
 * not an error in the middle of a stream. Stops waiting when `late` resolves, because the run may be queued.
 */
export async function startRunStream(
  run: (onEvent: RunListener) => Promise<RunReport | Failure>,
  late?: Promise<undefined>,
): Promise<RunStream | RefusedRun> {
  const buffered: RunEvent[] = []
  let listener: RunListener | undefined
  const first = Promise.withResolvers<RunReport | Failure | undefined>()
  const end = run((event) => {
    if (listener !== undefined) return listener(event)
    if (buffered.length === 0) first.resolve(undefined)
    buffered.push(event)
  })
  end.then(first.resolve, first.reject)
  late?.then(first.resolve, first.reject)
  const early = await first.promise
  const reason = early === undefined ? undefined : isFailure(early) ? early : early.error
  if (buffered.length === 0 && reason !== undefined) return { refusal: reason }
  return {
    end,
    listen(newListener) {
      for (const event of buffered.splice(0)) newListener(event)
      listener = newListener
    },
  }
}
