import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { loadQuery, preloadQuery } from '../src/api/preload.ts'

/** Creates a query whose loads end as given, in order. */
function queryOf(key: string, ...ends: readonly (string | Error)[]) {
  let loads = 0
  return {
    query: {
      key,
      load: () => {
        const end = ends[loads++]
        return end instanceof Error ? Promise.reject(end) : Promise.resolve(end)
      },
    },
    loads: () => loads,
  }
}

describe('preloaded queries', () => {
  it('a preloaded query sends one request, whose response is only for the first use', async () => {
    const { query, loads } = queryOf('agents', 'early', 'later')
    preloadQuery(query)
    expect(await loadQuery(query, {})).toBe('early')
    expect(loads()).toBe(1)
    expect(await loadQuery(query, {})).toBe('later')
  })

  it('a query with another key does not get the response', async () => {
    preloadQuery(queryOf('run a', 'of a').query)
    expect(await loadQuery(queryOf('run b', 'of b').query, {})).toBe('of b')
  })

  it('a response that was not used within ten seconds is loaded again', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { query } = queryOf('run d', 'early', 'later')
    preloadQuery(query)
    vi.advanceTimersByTime(10_000)
    expect(await loadQuery(query, {})).toBe('later')
  })

  it('a preloaded query that failed, such as before a sign-in, is sent again', async () => {
    const { query, loads } = queryOf('run c', new Error('token_required'), 'after sign-in')
    preloadQuery(query)
    expect(await loadQuery(query, {})).toBe('after sign-in')
    expect(loads()).toBe(2)
  })
})
