import { failure, type Clock, type Failure } from '@troupe/schema'

/** Counts the requests of each principal; a failure where one has sent too many. */
export type RateLimit = (principal: string) => Failure | undefined

/** Principals that are known at once; those that have been silent for the longest make room. */
const MOST_PRINCIPALS = 10_000
const MINUTE = 60_000

interface Bucket {
  readonly left: number
  /** When `left` was right, in ms. */
  readonly at: number
}

/** So many requests in any minute for each principal, all of them at once if it likes; what is used comes back evenly. */
export function createRateLimit(
  requestsPerMinute: number,
  clock: Pick<Clock, 'monotonic' | 'now'>,
): RateLimit {
  if (requestsPerMinute === Infinity) return () => undefined
  const buckets = new Map<string, Bucket>()
  return (principal) => {
    const at = clock.monotonic()
    const known = buckets.get(principal)
    const filled =
      known === undefined ? requestsPerMinute : known.left + ((at - known.at) / MINUTE) * requestsPerMinute
    const left = Math.min(requestsPerMinute, filled)
    buckets.delete(principal)
    buckets.set(principal, { left: left >= 1 ? left - 1 : left, at })
    const [oldest] = buckets.keys()
    if (buckets.size > MOST_PRINCIPALS && oldest !== undefined) buckets.delete(oldest)
    if (left >= 1) return undefined
    const wait = ((1 - left) / requestsPerMinute) * MINUTE
    const message = `${principal} has sent more than ${requestsPerMinute} requests in a minute.`
    return { ...failure('rate_limited', message), retryAt: clock.now() + wait }
  }
}
