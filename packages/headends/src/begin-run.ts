import type { Failure, RunEvent, RunListener, RunReport } from '@troupe/schema'
import { isFailure } from './is-failure.ts'

/** A run whose events are wanted. */
export interface BegunRun {
  /** Hears everything from the beginning. Once. */
  listen(listener: RunListener): void
  readonly end: Promise<RunReport | Failure>
}

/** A run that has ended before anything happened: what kept it from beginning. */
export interface RefusedRun {
  readonly refused: Failure
}

/**
 * Begins a run and waits for its first event, so that what cannot be run is still an error with a status of its own, and not one in the middle of a
 * stream. No longer than until it is `late`: a run may wait for room.
 */
export async function beginRun(
  run: (onEvent: RunListener) => Promise<RunReport | Failure>,
  late?: Promise<undefined>,
): Promise<BegunRun | RefusedRun> {
  const heard: RunEvent[] = []
  let listener: RunListener | undefined
  const first = Promise.withResolvers<RunReport | Failure | undefined>()
  const end = run((event) => {
    if (listener !== undefined) return listener(event)
    if (heard.length === 0) first.resolve(undefined)
    heard.push(event)
  })
  end.then(first.resolve, first.reject)
  late?.then(first.resolve, first.reject)
  const early = await first.promise
  const reason = early === undefined ? undefined : isFailure(early) ? early : early.error
  if (heard.length === 0 && reason !== undefined) return { refused: reason }
  return {
    end,
    listen(one) {
      for (const event of heard.splice(0)) one(event)
      listener = one
    },
  }
}
