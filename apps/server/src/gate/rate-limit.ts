import { failure, type Clock, type Failure } from '@troupe/schema'

/** Counts a request of a principal. Returns a failure if it has sent too many. */
export type RateLimit = (principal: string) => Failure | undefined

/** Maximum number of principals remembered. The least recently active one is dropped first. */
const MOST_PRINCIPALS = 10_000
const MINUTE = 60_000

interface Bucket {
  readonly remaining: number
  /** Monotonic time at which `remaining` was computed, in ms. */
  readonly at: number
}

/**
 * Creates a token bucket per principal. A full bucket holds the requests of one minute; it refills evenly.
 */
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
      known === undefined
        ? requestsPerMinute
        : known.remaining + ((at - known.at) / MINUTE) * requestsPerMinute
    const remaining = Math.min(requestsPerMinute, filled)
    buckets.delete(principal)
    buckets.set(principal, { remaining: remaining >= 1 ? remaining - 1 : remaining, at })
    const [oldest] = buckets.keys()
    if (buckets.size > MOST_PRINCIPALS && oldest !== undefined) buckets.delete(oldest)
    if (remaining >= 1) return undefined
    const wait = ((1 - remaining) / requestsPerMinute) * MINUTE
    const message = `${principal} has sent more than ${requestsPerMinute} requests in a minute.`
    return { ...failure('rate_limited', message), retryAt: clock.now() + wait }
  }
}

/**
 * Returns the address that a client is counted by: an IPv4 address unchanged, an IPv6 address reduced to its
 * first 64 bits, because one client may use all addresses below them.
 */
export function clientAddress(remoteAddress: string | undefined): string {
  if (remoteAddress === undefined) return ''
  const address = remoteAddress
    .toLowerCase()
    .replace(/%.*$/u, '')
    .replace(/^::ffff:(?=\d+\.)/u, '')
  if (!address.includes(':')) return address
  const [head = '', tail = ''] = address.split('::')
  const first = groupsOf(head)
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - groupsOf(tail).length) }, () => '0')
  return `${[...first, ...zeros, ...groupsOf(tail)].slice(0, 4).join(':')}::/64`
}

function groupsOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(':')
}
