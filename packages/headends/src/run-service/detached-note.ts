import type { StoredRunRequest } from './stored-run-request.ts'

/** Note that marks the runs of a run service in the store. */
export const DETACHED_NOTE = { detached: true } as const

/** Returns true for a run that was started by a run service and belongs to no connection. */
export function isDetached({ note }: StoredRunRequest): boolean {
  return note?.['detached'] === true
}
