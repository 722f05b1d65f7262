import { useCallback, useEffect, useRef, useState } from 'react'
import { useServerLink } from '../link/use-server-link.ts'
import { request, type RequestFailure } from './request.ts'

/** What is known of something that is asked for. */
export interface Asked<T> {
  /** The last answer. Stays while it is asked for again. */
  readonly value?: T
  /** Why the last attempt failed. */
  readonly failure?: RequestFailure
  /** Asks once more. */
  refresh(): void
}

/** How often something is asked for again, in ms. */
export interface Polling {
  /** Default: once. */
  readonly everyMs?: number
  /** While the page is in the background. Default: not at all. */
  readonly hiddenEveryMs?: number
}

/** Asks for a path, again when it changes, when `everyMs` has gone by, and when a lost server answers again. A request at work is never replaced by the next one. */
export function useAnswer<T>(path: string | undefined, { everyMs, hiddenEveryMs }: Polling = {}): Asked<T> {
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
