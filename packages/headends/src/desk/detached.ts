import type { KeptRequest } from './kept-request.ts'

/** What is kept with a run of a desk, so that it is known again. */
export const DETACHED = { detached: true } as const

/** It was begun by a desk, and belongs to no connection. */
export function isDetached({ note }: KeptRequest): boolean {
  return note?.['detached'] === true
}
