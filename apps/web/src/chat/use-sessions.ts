import type { Change, SessionPage } from '@troupe/client'
import { useCallback, useEffect, useRef, useState } from 'react'
import { client, toRequestFailure, type RequestFailure } from '../api/client.ts'
import { useRequest } from '../api/use-request.ts'
import { addSessionPage, refreshSessions } from './session-rows.ts'

/** The filter of the list of conversations. */
export interface SessionFilter {
  /** Text in a name or a message; empty for all. */
  readonly text: string
  /** Empty for all. */
  readonly agent: string
  readonly isArchived: boolean
}

/** The loaded conversations that match a filter. */
export interface LoadedSessions {
  /** `undefined` until the server has responded. */
  readonly page: SessionPage | undefined
  readonly failure?: RequestFailure
  readonly isReadingMore: boolean
  readMore(): void
  refresh(): void
}

const PAGE = 50
/** The largest page that the server returns. Loaded conversations after it are not loaded again. */
const MAX_PAGE = 200
const EVERY_MS = 10_000
/** The longest search text that the server accepts. */
const MAX_TEXT = 200

const listeners = new Set<() => void>()

/** Loads the list of conversations again, because one was changed or has a new message. */
export function refreshSessionList(): void {
  for (const listener of listeners) listener()
}

const areSessionsStale = ({ type }: Change): boolean => type === 'sessions'

/**
 * Loads the newest conversations that match a filter, again after each change on any device, and older ones on
 * demand.
 */
export function useSessions({ text, agent, isArchived }: SessionFilter): LoadedSessions {
  const q = text.trim().slice(0, MAX_TEXT)
  const query = {
    limit: PAGE,
    ...(q === '' ? {} : { q }),
    ...(agent === '' ? {} : { agent }),
    ...(isArchived ? { archived: 'true' as const } : {}),
  }
  const key = JSON.stringify(query)
  const [loaded, setLoaded] = useState<{ readonly key: string; readonly page: SessionPage }>()
  const page = loaded?.key === key ? loaded.page : undefined
  const limit = useRef(PAGE)
  limit.current = Math.min(MAX_PAGE, Math.max(PAGE, page?.sessions.length ?? 0))
  const { value, failure, refresh } = useRequest(
    {
      key: `sessions ${key}`,
      load: (options) => client.sessions.list({ ...query, limit: limit.current, ...options }),
    },
    { isStale: areSessionsStale, everyMs: EVERY_MS },
  )
  const [reading, setReading] = useState<string>()
  const [moreFailure, setMoreFailure] = useState<RequestFailure>()
  const latestKey = useRef(key)
  latestKey.current = key
  useEffect(() => {
    listeners.add(refresh)
    return () => void listeners.delete(refresh)
  }, [refresh])
  useEffect(() => {
    if (value === undefined) return
    setLoaded((before) =>
      before?.key === key ? { key, page: refreshSessions(before.page, value) } : { key, page: value },
    )
  }, [key, value])
  const next = page?.next
  const readMore = useCallback((): void => {
    if (next === undefined || reading !== undefined) return
    setReading(next)
    const fields = JSON.parse(key) as typeof query
    client.sessions
      .list({ ...fields, before: next })
      .then(
        (more) => {
          setMoreFailure(undefined)
          if (latestKey.current === key)
            setLoaded((before) =>
              before?.key === key ? { key, page: addSessionPage(before.page, more) } : before,
            )
        },
        (thrown: unknown) => setMoreFailure(toRequestFailure(thrown)),
      )
      .finally(() => setReading(undefined))
  }, [key, next, reading])
  const failed = failure ?? moreFailure
  return {
    page,
    ...(failed === undefined ? {} : { failure: failed }),
    isReadingMore: reading !== undefined,
    readMore,
    refresh,
  }
}
