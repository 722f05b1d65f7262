import type { RunPage, RunSummary } from '@troupe/headends'
import { useCallback, useEffect, useRef, useState } from 'react'
import { request, type RequestFailure } from '../api/request.ts'
import { runListPath } from '../api/runs.ts'
import { useAnswer, type Polling } from '../api/use-answer.ts'
import { beforeOpen, NO_RUNS, withNewest, withPage } from './known-runs.ts'

/** Queries whose runs are kept. */
const KEPT = 20

/** The runs that fit a query, as far as they were asked for. */
export interface RunPages {
  /** The last begun first; `undefined` until the server has answered. */
  readonly runs: readonly RunSummary[] | undefined
  readonly failure?: RequestFailure
  /** There are older ones. */
  readonly hasOlder: boolean
  readonly isReadingOlder: boolean
  /** Asks for the next page. */
  readOlder(): void
}

/** Follows the newest page of a query, and asks for older ones on demand. Older runs that are open are asked for again too, one page each time. */
export function useRunPages(
  query: Readonly<Record<string, string>> | undefined,
  { limit, ...polling }: Polling & { readonly limit: number },
): RunPages {
  const path = query === undefined ? undefined : runListPath({ ...query, limit: `${limit}` })
  const { value, failure } = useAnswer<RunPage>(path, polling)
  // of the last queries, so that going back to one draws it at once
  const queries = useRef(new Map<string | undefined, RunPage>())
  const [, draw] = useState(0)
  const [reading, setReading] = useState<string>()
  const [olderFailure, setOlderFailure] = useState<RequestFailure>()
  const turn = useRef(0)

  const put = useCallback(
    (known: RunPage): void => {
      const { current } = queries
      current.delete(path)
      current.set(path, known)
      const [oldest] = current.keys()
      if (current.size > KEPT) current.delete(oldest)
      draw((before) => before + 1)
    },
    [path],
  )
  const readPage = useCallback(
    async (before: string): Promise<void> => {
      if (query === undefined) return
      const answer = await request<RunPage>(runListPath({ ...query, limit: `${limit}`, before }))
      setOlderFailure(answer.ok ? undefined : answer.failure)
      if (answer.ok) put(withPage(queries.current.get(path) ?? NO_RUNS, before, answer.value))
    },
    [query, path, limit, put],
  )
  useEffect(() => {
    if (value === undefined) return
    const known = withNewest(queries.current.get(path) ?? NO_RUNS, value)
    put(known)
    const stale = beforeOpen(known, { newest: value.runs.length, from: turn.current })
    turn.current = (stale?.at ?? 0) + limit
    if (stale !== undefined) void readPage(stale.before)
  }, [value, path, limit, put, readPage])
  const known = path === undefined ? undefined : queries.current.get(path)
  const isKnown = known !== undefined
  const { runs, next } = known ?? NO_RUNS
  const readOlder = useCallback((): void => {
    if (next === undefined) return
    setReading(next)
    void readPage(next).finally(() => setReading(undefined))
  }, [next, readPage])
  // the server has read many runs without finding one: it goes on where it left off
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
