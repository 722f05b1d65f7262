import type { RunView } from '@troupe/headends'
import { useMemo } from 'react'
import { runPath } from '../api/runs.ts'
import { useAnswer } from '../api/use-answer.ts'
import { rootOf, withInterruption } from '../folds/picture.ts'
import type { FeedState } from './run-feed.ts'
import { useRunFeed } from './use-run-feed.ts'

/** How often the server is asked how a run without an end stands, in ms. */
const STATE_MS = 5000

/** A run as its events and the server describe it. */
export interface FollowedRun extends FeedState {
  /** The run as the server describes it; `undefined` until it has answered, or if no request was made. */
  readonly details?: RunView
}

/** Follows a run by its events and, as no event says that a run was interrupted, by its state on the server until it has ended. `needsDetails`: the server is asked about an ended run too. */
export function useRun(
  runId: string,
  { needsDetails = false }: { readonly needsDetails?: boolean } = {},
): FollowedRun {
  const { picture: fed, link } = useRunFeed(runId)
  const root = rootOf(fed)
  const isOpen = root !== undefined && root.state !== 'done'
  const { value } = useAnswer<RunView>(
    needsDetails || isOpen ? runPath(runId) : undefined,
    isOpen ? { everyMs: STATE_MS } : {},
  )
  const picture = useMemo(() => (isOpen ? withInterruption(fed, value) : fed), [fed, isOpen, value])
  return { picture, link, ...(value === undefined ? {} : { details: value }) }
}
