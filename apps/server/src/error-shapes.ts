import { errorResponse, type Headend } from '@troupe/headends'

/** The answer to a request that failed, in the shape of the protocol of its path. */
export type ErrorShapes = (path: string) => typeof errorResponse

/** What fails before a headend is asked is told as the headend would: paths that begin alike belong to one protocol. */
export function errorShapes(headends: readonly Headend[]): ErrorShapes {
  const shapes = new Map<string, typeof errorResponse>()
  for (const { paths, toError } of headends)
    if (toError !== undefined) for (const path of paths) shapes.set(beginOf(path), toError)
  return (path) => shapes.get(beginOf(path)) ?? errorResponse
}

function beginOf(path: string): string {
  return path.split('/', 2)[1] ?? ''
}
