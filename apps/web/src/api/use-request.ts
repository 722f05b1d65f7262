import { useCallback, useEffect, useRef, useState } from 'react'
import { toRequestFailure, type RequestFailure } from './client.ts'
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

/** Intervals for repeating a request, in ms. */
export interface Polling {
  /** Default: the request is not repeated. */
  readonly everyMs?: number
  /** Interval while the page is in the background. Default: no requests. */
  readonly hiddenEveryMs?: number
}

/**
 * Sends the request of a query, and repeats it when its key changes, after `everyMs`, and when a lost server
 * responds again. Polling waits for a pending request.
 */
export function useRequest<T>(
  query: ApiQuery<T> | undefined,
  { everyMs, hiddenEveryMs }: Polling = {},
): RequestState<T> {
  const { returns } = useServerLink()
  const key = query?.key
  const latest = useRef(query)
  latest.current = query
  const [round, setRound] = useState(0)
  const [known, setKnown] = useState<{ key?: string; value?: T; failure?: RequestFailure }>({})
  const last = useRef({ isBusy: false, at: 0 })
  useEffect(() => {
    if (key === undefined || latest.current === undefined) return undefined
    const aborted = new AbortController()
    const { signal } = aborted
    last.current = { isBusy: true, at: Date.now() }
    const settle = (change: (before: { key?: string; value?: T }) => typeof known): void => {
      if (signal.aborted) return
      last.current.isBusy = false
      setKnown(change)
    }
    latest.current.load({ signal }).then(
      (value) => settle(() => ({ key, value })),
      (thrown: unknown) =>
        settle((before) => ({
          ...(before.key === key ? before : {}),
          key,
          failure: toRequestFailure(thrown),
        })),
    )
    return () => aborted.abort()
  }, [key, round, returns])
  const refresh = useCallback(() => setRound((before) => before + 1), [])
  useEffect(() => {
    if (everyMs === undefined) return undefined
    const timer = setInterval(() => {
      const { isBusy, at } = last.current
      if (isBusy || (document.hidden && Date.now() - at < (hiddenEveryMs ?? Infinity))) return
      refresh()
    }, everyMs)
    return () => clearInterval(timer)
  }, [everyMs, hiddenEveryMs, refresh])
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
