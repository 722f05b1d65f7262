const FIRST_MS = 1000
const LARGEST_MS = 30_000

/** How long to wait before an attempt (from 1: the first after a failure), in ms: what the provider asked for, else exponential with full jitter. */
export function retryDelay(attempt: number, retryAfterMs: number | undefined, random: () => number): number {
  if (retryAfterMs !== undefined) return retryAfterMs
  return Math.round(random() * Math.min(LARGEST_MS, FIRST_MS * 2 ** attempt))
}
