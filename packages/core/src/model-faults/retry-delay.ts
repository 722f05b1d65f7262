const FIRST_MS = 1000
/** The limiter protects a provider that is overloaded or down, so a single call does not have to wait longer. */
const LARGEST_MS = 8000

/** Returns the wait before attempt `attempt` in ms, 1 being the first after a failure: what the provider asked for, else exponential with full jitter. */
export function retryDelay(attempt: number, retryAfterMs: number | undefined, random: () => number): number {
  if (retryAfterMs !== undefined) return retryAfterMs
  return Math.round(random() * Math.min(LARGEST_MS, FIRST_MS * 2 ** (attempt - 1)))
}
