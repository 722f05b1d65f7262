import { useCallback, useEffect, useState } from 'react'
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

/** Asks for a path, and again when it changes or `everyMs` has gone by. */
export function useAnswer<T>(
  path: string | undefined,
  { everyMs }: { readonly everyMs?: number } = {},
): Asked<T> {
  const [round, setRound] = useState(0)
  const [known, setKnown] = useState<{ path?: string; value?: T; failure?: RequestFailure }>({})
  useEffect(() => {
    if (path === undefined) return undefined
    const aborted = new AbortController()
    void request<T>(path, { signal: aborted.signal }).then((answer) => {
      if (aborted.signal.aborted) return
      setKnown((before) =>
        answer.ok
          ? { path, value: answer.value }
          : { ...(before.path === path ? before : {}), path, failure: answer.failure },
      )
    })
    return () => aborted.abort()
  }, [path, round])
  const refresh = useCallback(() => setRound((before) => before + 1), [])
  useEffect(() => {
    if (everyMs === undefined) return undefined
    // a page that nobody looks at asks for nothing
    const timer = setInterval(() => !document.hidden && refresh(), everyMs)
    return () => clearInterval(timer)
  }, [everyMs, refresh])
  const { value, failure } = known.path === path ? known : {}
  return { ...(value === undefined ? {} : { value }), ...(failure === undefined ? {} : { failure }), refresh }
}
