import { useCallback, useEffect, useRef, useState } from 'react'
import { request, type RequestFailure, type RequestResult } from './request.ts'
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
 * Requests a path, and repeats the request when the path changes, after `everyMs`, and when a lost server
 * responds again. Polling waits for a pending request.
 */
export function useRequest<T>(
  path: string | undefined,
  { everyMs, hiddenEveryMs }: Polling = {},
): RequestState<T> {
  const { returns } = useServerLink()
  const [round, setRound] = useState(0)
  const [known, setKnown] = useState<{ path?: string; value?: T; failure?: RequestFailure }>({})
  const last = useRef({ isBusy: false, at: 0 })
  useEffect(() => {
    if (path === undefined) return undefined
    const aborted = new AbortController()
    last.current = { isBusy: true, at: Date.now() }
    void request<T>(path, { signal: aborted.signal }).then((answer) => {
      if (aborted.signal.aborted) return
      last.current.isBusy = false
      setKnown((before) =>
        answer.ok
          ? { path, value: answer.value }
          : { ...(before.path === path ? before : {}), path, failure: answer.failure },
      )
    })
    return () => aborted.abort()
  }, [path, round, returns])
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
  const { value, failure } = known.path === path ? known : {}
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
  act: (...args: Args) => Promise<RequestResult<T>>,
  onDone?: (value: T) => void,
): Action<Args> {
  const [isBusy, setBusy] = useState(false)
  const [failed, setFailed] = useState<FailedAction>()
  const run = (...args: Args): void => {
    if (isBusy) return
    setBusy(true)
    setFailed(undefined)
    void act(...args).then((answer) => {
      setBusy(false)
      if (answer.ok) onDone?.(answer.value)
      else setFailed({ failure: answer.failure, returns: serverLink.getState().returns })
    })
  }
  const failure = currentFailure(failed, useServerLink().returns)
  return { run, isBusy, ...(failure === undefined ? {} : { failure }) }
}
