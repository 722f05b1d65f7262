import type { Clock } from '@troupe/schema'
import { hash } from 'node:crypto'

/** The ids of tokens that were used and have not expired. */
export interface UsedTokens {
  /**
   * Records a token as used until it expires (wall time in ms). Returns `repeated` if it was used before, or
   * `full` if there is no space for it.
   */
  use(id: string, expiresAt: number): 'first' | 'repeated' | 'full'
}

/** Minimum time between two searches for expired tokens, in ms. */
const SWEEP_MS = 1000

/**
 * Creates an empty memory. It never forgets a token that has not expired: if it is full, no further token is
 * accepted.
 */
export function createUsedTokens(clock: Pick<Clock, 'now'>, maxTokens = 100_000): UsedTokens {
  const used = new Map<string, number>()
  let sweptAt = -Infinity

  function removeExpired(now: number): void {
    if (now - sweptAt < SWEEP_MS) return
    sweptAt = now
    for (const [id, expiresAt] of used) if (expiresAt <= now) used.delete(id)
  }

  return {
    use(id, expiresAt) {
      // hashed, because an id may be as long as the headers of a request
      const key = hash('sha256', id, 'base64')
      const now = clock.now()
      if ((used.get(key) ?? -Infinity) > now) return 'repeated'
      if (used.size >= maxTokens) removeExpired(now)
      if (used.size >= maxTokens) return 'full'
      used.set(key, expiresAt)
      return 'first'
    },
  }
}
