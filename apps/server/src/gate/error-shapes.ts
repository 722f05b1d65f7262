import { errorResponse, type Headend } from '@troupe/headends'

/** Returns the error response of the protocol that a path belongs to. */
export type ErrorShapes = (path: string) => typeof errorResponse

/**
 * Creates the lookup of error formats for requests that fail before they reach a headend. Paths with the same
 * first segment belong to one protocol.
 */
export function errorShapes(headends: readonly Headend[]): ErrorShapes {
  const shapes = new Map<string, typeof errorResponse>()
  for (const { app, toError } of headends)
    if (toError !== undefined) for (const { path } of app.routes) shapes.set(firstSegment(path), toError)
  return (path) => shapes.get(firstSegment(path)) ?? errorResponse
}

function firstSegment(path: string): string {
  return path.split('/', 2)[1] ?? ''
}
