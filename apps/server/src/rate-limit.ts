import { failure, type Clock, type Failure } from '@troupe/schema'

/** Counts the requests of each principal; a failure where one has sent too many. */
export type RateLimit = (principal: string) => Failure | undefined

/** Principals that are known at once; those that have been silent for the longest make room. */
const MOST_PRINCIPALS = 10_000
const MINUTE = 60_000

interface Bucket {
  left: number
  /** When `left` was right, in ms. */
  at: number
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
    let bucket = buckets.get(principal)
    if (bucket === undefined) {
      if (buckets.size === MOST_PRINCIPALS) forgetSilent(buckets)
      buckets.set(principal, (bucket = { left: requestsPerMinute, at }))
    }
    const left = Math.min(requestsPerMinute, bucket.left + ((at - bucket.at) / MINUTE) * requestsPerMinute)
    bucket.left = left >= 1 ? left - 1 : left
    bucket.at = at
    if (left >= 1) return undefined
    const wait = ((1 - left) / requestsPerMinute) * MINUTE
    const message = `${principal} has sent more than ${requestsPerMinute} requests in a minute.`
    return { ...failure('rate_limited', message), retryAt: clock.now() + wait }
  }
}

/** Forgets the one that has been silent for the longest. */
function forgetSilent(buckets: Map<string, Bucket>): void {
  let silent: string | undefined
  let since = Infinity
  for (const [principal, { at }] of buckets) {
    if (at >= since) continue
    silent = principal
    since = at
  }
  if (silent !== undefined) buckets.delete(silent)
}
