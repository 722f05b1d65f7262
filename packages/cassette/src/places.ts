import type { RunEvent } from '@troupe/schema'

/**
 * Paths of the runs of one tree, by run id: `/` for the root run, `/1.2` for the run that its call 1.2
 * opened, `/1.2#2` for the run of a second attempt.
 */
export interface Places {
  /** Returns the path of a run whose start event was seen. */
  of(runId: string): string
  /** Learns paths from the next event. */
  see(event: RunEvent): void
}

/** Creates run paths that are learned from the events of a run tree, in order. */
export function createPlaces(rootRunId: string): Places {
  const places = new Map([[rootRunId, '/']])
  const attempts = new Map<string, number>()
  const of = (runId: string): string => places.get(runId) ?? `?${runId}`
  return {
    of,
    see: (event) => {
      const { runId, parentRunId, callId } = event
      if (event.type === 'tool-start') attempts.set(`${runId} ${callId}`, event.attempt)
      if (event.type !== 'run-start' || parentRunId === undefined || callId === undefined) return
      const attempt = attempts.get(`${parentRunId} ${callId}`) ?? 1
      places.set(runId, childPlace(of(parentRunId), { callId, attempt }))
    },
  }
}

/** Returns the path of the run that a call opens. */
export function childPlace(
  parent: string,
  { callId, attempt }: { readonly callId: string; readonly attempt: number },
): string {
  return `${parent === '/' ? '' : parent}/${callId}${attempt === 1 ? '' : `#${attempt}`}`
}

/**
 * Splits a run path into the path of the parent and the call. Returns `undefined` for the root run and for
 * text that is not a run path.
 */
export function parsePlace(
  place: string,
):
  | { readonly parent: string; readonly turn: number; readonly ordinal: number; readonly attempt: number }
  | undefined {
  const end = place.lastIndexOf('/')
  const [, turn, ordinal, attempt = '1'] = LAST.exec(place.slice(end + 1)) ?? []
  if (turn === undefined || ordinal === undefined) return undefined
  return {
    parent: end === 0 ? '/' : place.slice(0, end),
    turn: Number(turn),
    ordinal: Number(ordinal),
    attempt: Number(attempt),
  }
}

const LAST = /^(\d+)\.(\d+)(?:#(\d+))?$/u
