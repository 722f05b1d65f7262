import type { RunView } from '@troupe/headends'
import { useMemo } from 'react'
import { runPath } from '../api/runs.ts'
import { useAnswer } from '../api/use-answer.ts'
import { rootOf, withInterruption } from '../folds/picture.ts'
import type { FeedState } from './run-feed.ts'
import { useRunFeed } from './use-run-feed.ts'

/** Interval for requesting the state of an open run, in ms. */
const STATE_MS = 5000

/** A run as described by its events and by the server. */
export interface FollowedRun extends FeedState {
  /** The run as described by the server; `undefined` before its response, or if no request was made. */
  readonly details?: RunView
}

/**
 * Follows a run by its events and, until it has ended, by its state on the server, because no event reports
 * an interruption. With `needsDetails`, the server is asked about ended runs too.
 */
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
