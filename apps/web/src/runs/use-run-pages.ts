import type { RunListOptions, RunPage, RunSummary } from '@troupe/client'
import { useCallback, useEffect, useRef, useState } from 'react'
import { changes } from '../api/changes.ts'
import { client, toRequestFailure, type RequestFailure } from '../api/client.ts'
import { isOpenRun, runsQuery } from '../api/queries.ts'
import { useRequest } from '../api/use-request.ts'
import { applyChanges } from './apply-changes.ts'

/** Maximum number of cached queries. */
const MAX_QUERIES = 20

/** The loaded runs that match a query. */
interface RunPages {
  /** Newest first; `undefined` until the server has responded. */
  readonly runs: readonly RunSummary[] | undefined
  readonly failure?: RequestFailure
  /** True if there are older runs. */
  readonly hasOlder: boolean
  readonly isReadingOlder: boolean
  /** Loads the next page. */
  readOlder(): void
}

/** Changes of runs are applied to the list. Only after `reset`, it is loaded again. */
const NEVER = (): boolean => false

/** An empty page of the list of runs. */
export const NO_RUNS: RunPage = { runs: [] }

/** Size of a page, and how it is kept up to date. */
interface RunPageOptions {
  readonly limit: number
  /** If true, changes of the server are applied. Default: false. */
  readonly isLive?: boolean
  /** Interval in ms at which the newest page is loaded while the stream of changes fails. */
  readonly everyMs?: number
}

/**
 * Loads the newest page of a query, and older ones on demand. When the newest page is loaded again, so are the older
 * ones that have open runs.
 */
export function useRunPages(
  filter: RunListOptions | undefined,
  { limit, isLive = false, everyMs }: RunPageOptions,
): RunPages {
  const query = filter === undefined ? undefined : runsQuery({ ...filter, limit })
  const key = query?.key
  const { value, failure, refresh } = useRequest(query, {
    ...(isLive ? { isStale: NEVER } : {}),
    ...(everyMs === undefined ? {} : { everyMs }),
  })
  // Caches the last queries, so that going back to one shows it at once.
  const queries = useRef(new Map<string | undefined, RunPage>())
  const [, draw] = useState(0)
  const [reading, setReading] = useState<string>()
  const [olderFailure, setOlderFailure] = useState<RequestFailure>()

  const update = useCallback(
    (page: RunPage): void => {
      const { current } = queries
      current.delete(key)
      current.set(key, page)
      const [oldest] = current.keys()
      if (current.size > MAX_QUERIES) current.delete(oldest)
      draw((before) => before + 1)
    },
    [key],
  )
  const readPage = useCallback(
    async (before: string): Promise<void> => {
      if (filter === undefined) return
      try {
        const page = await client.runs.list({ ...filter, limit, before })
        setOlderFailure(undefined)
        update(mergePage(queries.current.get(key) ?? NO_RUNS, before, page))
      } catch (thrown) {
        setOlderFailure(toRequestFailure(thrown))
      }
    },
    [filter, key, limit, update],
  )
  useEffect(() => {
    if (value === undefined) return undefined
    let isCurrent = true
    const newest = value.runs.length
    update(mergeNewest(queries.current.get(key) ?? NO_RUNS, value))
    const readOpenPages = async (): Promise<void> => {
      for (let from = newest; ; from += limit) {
        if (!isCurrent) return
        const stale = findBeforeOpen(queries.current.get(key) ?? NO_RUNS, from)
        if (stale === undefined) return
        from = stale.at
        await readPage(stale.before)
      }
    }
    void readOpenPages()
    return () => void (isCurrent = false)
  }, [value, key, limit, update, readPage])
  useEffect(() => {
    if (!isLive || filter === undefined) return undefined
    return changes.subscribe((change) => {
      const known = queries.current.get(key)
      if (change.type !== 'runs' || known === undefined) return
      const { page, isStale } = applyChanges(known, change.runs, filter)
      if (page !== known) update(page)
      if (isStale) refresh()
    })
  }, [isLive, filter, key, update, refresh])
  const loaded = key === undefined ? undefined : queries.current.get(key)
  const isKnown = loaded !== undefined
  const { runs, next } = loaded ?? NO_RUNS
  const readOlder = useCallback((): void => {
    if (next === undefined) return
    setReading(next)
    void readPage(next).finally(() => setReading(undefined))
  }, [next, readPage])
  // The server has searched many runs without a match: continue where it stopped.
  useEffect(() => {
    if (isKnown && runs.length === 0 && next !== undefined && reading !== next) readOlder()
  }, [isKnown, runs.length, next, reading, readOlder])
  const failed = failure ?? olderFailure
  return {
    runs: isKnown && (runs.length > 0 || next === undefined) ? runs : undefined,
    ...(failed === undefined ? {} : { failure: failed }),
    hasOlder: next !== undefined,
    isReadingOlder: reading !== undefined,
    readOlder,
  }
}

/**
 * Replaces the start of the loaded runs with the newest page. Drops the older runs if there may be a gap
 * between them.
 */
export function mergeNewest(loaded: RunPage, newest: RunPage): RunPage {
  const last = newest.runs.at(-1)
  const at = loaded.runs.findIndex(({ runId }) => runId === last?.runId)
  if (at < 0 || newest.next === undefined) return newest
  return join(newest.runs, loaded.runs.slice(at + 1), loaded.next)
}

/** Adds a page that was requested with `before`, and replaces the loaded runs that it covers. */
export function mergePage(loaded: RunPage, before: string, page: RunPage): RunPage {
  const at = loaded.runs.findIndex(({ runId }) => runId === before)
  const head = at < 0 ? loaded.runs : loaded.runs.slice(0, at + 1)
  const end = loaded.runs.findIndex(({ runId }) => runId === page.runs.at(-1)?.runId)
  if (end < 0 || page.next === undefined) return join(head, page.runs, page.next)
  return join([...head, ...page.runs], loaded.runs.slice(end + 1), loaded.next)
}

/**
 * Returns the run before the first open one from index `from` on. The page after it must be requested again, because
 * changes may have been missed. `undefined` if no run from there on is open.
 */
export function findBeforeOpen(
  { runs }: RunPage,
  from: number,
): { readonly before: string; readonly at: number } | undefined {
  const at = runs.findIndex((run, index) => index >= from && isOpenRun(run))
  const before = runs[at - 1]?.runId
  return before === undefined ? undefined : { before, at }
}

function join(head: readonly RunSummary[], tail: readonly RunSummary[], next: string | undefined): RunPage {
  const headIds = new Set(head.map(({ runId }) => runId))
  const runs = [...head, ...tail.filter(({ runId }) => !headIds.has(runId))]
  return next === undefined ? { runs } : { runs, next }
}
