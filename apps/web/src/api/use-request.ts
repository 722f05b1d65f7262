import type { Change } from '@troupe/client'
import { useCallback, useEffect, useRef, useState } from 'react'
import { changes, useIsFailing } from './changes.ts'
import { toRequestFailure, type RequestFailure } from './client.ts'
import { loadQuery } from './preload.ts'
import type { ApiQuery } from './queries.ts'
import { useServerLink, serverLink } from './server-link.ts'

/** The state of a request. */
export interface RequestState<T> {
  /** The last value. Stays while the request is repeated. */
  readonly value?: T
  /** The failure of the last attempt. */
  readonly failure?: RequestFailure
  /** Sends the request again. */
  refresh(): void
}

/** Returns true once a request has a value or has failed, so that a page can draw its parts at once, in their places. */
export function isSettled({ value, failure }: RequestState<unknown>): boolean {
  return value !== undefined || failure !== undefined
}

/** When a request is repeated. Intervals are in ms. */
export interface Refreshing {
  /** Returns true for a change of the server after which the value is out of date. */
  readonly isStale?: (change: Change) => boolean
  /** Default: the request is not repeated. With `isStale`, only while the stream fails or the server is lost. */
  readonly everyMs?: number
  /** Interval while the page is in the background. Default: no requests. */
  readonly hiddenEveryMs?: number
}

/**
 * Sends the request of a query, and repeats it when its key or the server changes, after `everyMs`, and when a lost
 * server responds again. Repeated requests wait for a pending one.
 */
export function useRequest<T>(
  query: ApiQuery<T> | undefined,
  { isStale, everyMs, hiddenEveryMs }: Refreshing = {},
): RequestState<T> {
  const { returns, isLost } = useServerLink()
  const key = query?.key
  const latest = useRef(query)
  latest.current = query
  const [round, setRound] = useState(0)
  const refresh = useCallback(() => setRound((before) => before + 1), [])
  const [known, setKnown] = useState<{ key?: string; value?: T; failure?: RequestFailure }>({})
  const last = useRef({ isBusy: false, isOutdated: false, at: 0 })
  useEffect(() => {
    if (key === undefined || latest.current === undefined) return undefined
    const aborted = new AbortController()
    const { signal } = aborted
    last.current = { isBusy: true, isOutdated: false, at: Date.now() }
    const settle = (change: (before: { key?: string; value?: T }) => typeof known): void => {
      if (signal.aborted) return
      last.current.isBusy = false
      setKnown(change)
      if (last.current.isOutdated) refresh()
    }
    loadQuery(latest.current, { signal }).then(
      (value) => settle(() => ({ key, value })),
      (thrown: unknown) =>
        settle((before) => ({
          ...(before.key === key ? before : {}),
          key,
          failure: toRequestFailure(thrown),
        })),
    )
    return () => aborted.abort()
  }, [key, round, returns, refresh])
  const staleCheck = useRef(isStale)
  staleCheck.current = isStale
  const isWatched = isStale !== undefined && key !== undefined
  useEffect(() => {
    if (!isWatched) return undefined
    return changes.subscribe((change) => {
      if (change.type !== 'reset' && staleCheck.current?.(change) !== true) return
      if (last.current.isBusy) last.current.isOutdated = true
      else refresh()
    })
  }, [isWatched, refresh])
  const isFailing = useIsFailing()
  // A lost server may respond again without an event of the stream.
  const isPolled = !isWatched || isFailing || isLost
  useEffect(() => {
    if (everyMs === undefined || !isPolled) return undefined
    const timer = setInterval(() => {
      const { isBusy, at } = last.current
      if (isBusy || (document.hidden && Date.now() - at < (hiddenEveryMs ?? Infinity))) return
      refresh()
    }, everyMs)
    return () => clearInterval(timer)
  }, [everyMs, hiddenEveryMs, isPolled, refresh])
  const { value, failure } = known.key === key ? known : {}
  return { ...(value === undefined ? {} : { value }), ...(failure === undefined ? {} : { failure }), refresh }
}

/**
 * A request that a person triggers with a button. Runs once at a time; `failure` is set if the last one
 * failed.
 */
export interface Action<Args extends readonly unknown[]> {
  run(...args: Args): void
  readonly isBusy: boolean
  readonly failure?: RequestFailure
}

/** A failed request, with the value of `returns` at that time. */
interface FailedAction {
  readonly failure: RequestFailure
  readonly returns: number
}

/** Returns the failure to show. `server_unreachable` disappears once the server responds again. */
export function currentFailure(
  failed: FailedAction | undefined,
  returns: number,
): RequestFailure | undefined {
  if (failed?.failure.code === 'server_unreachable' && failed.returns !== returns) return undefined
  return failed?.failure
}

/** Creates an action from a request. `onDone` is called with the value of the response. */
export function useAction<Args extends readonly unknown[], T>(
  act: (...args: Args) => Promise<T>,
  onDone?: (value: T) => void,
): Action<Args> {
  const [isBusy, setBusy] = useState(false)
  const [failed, setFailed] = useState<FailedAction>()
  const run = (...args: Args): void => {
    if (isBusy) return
    setBusy(true)
    setFailed(undefined)
    act(...args).then(
      (value) => {
        setBusy(false)
        onDone?.(value)
      },
      (thrown: unknown) => {
        setBusy(false)
        setFailed({ failure: toRequestFailure(thrown), returns: serverLink.getState().returns })
      },
    )
  }
  const failure = currentFailure(failed, useServerLink().returns)
  return { run, isBusy, ...(failure === undefined ? {} : { failure }) }
}
