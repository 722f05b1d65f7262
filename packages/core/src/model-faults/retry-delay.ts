const FIRST_MS = 1000
/** Maximum wait in ms. Longer waits are not needed, as the limiter protects an overloaded provider. */
const LARGEST_MS = 8000

/**
 * Returns the wait in ms before retry number `attempt`: the one that the provider asked for, or exponential
 * backoff with full jitter.
 */
export function retryDelay(attempt: number, retryAfterMs: number | undefined, random: () => number): number {
  if (retryAfterMs !== undefined) return retryAfterMs
  return Math.round(random() * Math.min(LARGEST_MS, FIRST_MS * 2 ** (attempt - 1)))
}
