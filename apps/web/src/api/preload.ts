import type { RequestOptions } from '@troupe/client'
import type { ApiQuery } from './queries.ts'

/** Responses to requests that were sent before what shows them was loaded, by the key of their query. */
const preloaded = new Map<string, Promise<unknown>>()

/** Time in ms after which a response is out of date, if the page that it was meant for was left before it was shown. */
const MAX_AGE_MS = 10_000

/** Sends the request of a query now. The first {@link loadQuery} of the same key within ten seconds gets its response. */
export function preloadQuery(query: ApiQuery<unknown>): void {
  const response = query.load({})
  // `loadQuery` sends a failed request again
  response.catch(() => undefined)
  preloaded.set(query.key, response)
  setTimeout(() => preloaded.delete(query.key), MAX_AGE_MS)
}

/** Returns the preloaded response of a query if there is one. Otherwise, or if it failed, sends the request. */
export function loadQuery<T>(query: ApiQuery<T>, options: RequestOptions): Promise<T> {
  const response = preloaded.get(query.key) as Promise<T> | undefined
  if (response === undefined) return query.load(options)
  preloaded.delete(query.key)
  return response.catch(() => query.load(options))
}
