import type { KeptRequest } from './kept-request.ts'

/** Note that marks the runs of a run service in the store. */
export const DETACHED = { detached: true } as const

/** Returns true for a run that was started by a run service and belongs to no connection. */
export function isDetached({ note }: KeptRequest): boolean {
  return note?.['detached'] === true
}
