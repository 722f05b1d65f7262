import type { RunEvent } from '@troupe/schema'

/** The places of the runs of a root, by id: `/` the root, `/1.2` the run that its call 1.2 opened, `/1.2#2` the one of a second attempt. */
export interface Places {
  /** The place of a run that has told its start. */
  of(runId: string): string
  /** Takes in what an event says of places. */
  see(event: RunEvent): void
}

/** Learns from the events of a root, in order. */
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

/** Where a call opens its child. */
export function childPlace(
  parent: string,
  { callId, attempt }: { readonly callId: string; readonly attempt: number },
): string {
  return `${parent === '/' ? '' : parent}/${callId}${attempt === 1 ? '' : `#${attempt}`}`
}

/** A place taken apart; undefined: the root, or no place. */
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
