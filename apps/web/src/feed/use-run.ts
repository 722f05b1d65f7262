import type { RunView } from '@troupe/headends'
import { useMemo } from 'react'
import { runPath } from '../api/runs.ts'
import { useRequest } from '../api/use-request.ts'
import { rootOf, withInterruption } from '../reducers/run-view-state.ts'
import type { FeedState } from './run-view-feed.ts'
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
  const { viewState: feedViewState, link } = useRunFeed(runId)
  const root = rootOf(feedViewState)
  const isOpen = root !== undefined && root.state !== 'done'
  const { value } = useRequest<RunView>(
    needsDetails || isOpen ? runPath(runId) : undefined,
    isOpen ? { everyMs: STATE_MS } : {},
  )
  const viewState = useMemo(
    () => (isOpen ? withInterruption(feedViewState, value) : feedViewState),
    [feedViewState, isOpen, value],
  )
  return { viewState, link, ...(value === undefined ? {} : { details: value }) }
}
