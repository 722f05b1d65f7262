import type { ModelHandle } from '@troupe/schema'

const MINUTE_MS = 60_000

interface Entry {
  readonly at: number
  tokens: number
}

/** What a lane has sent within the last minute. */
export interface MinuteWindow {
  /** How long until a call with so many tokens fits, in ms; 0: now. */
  waitMs(tokens: number, now: number): number
  /** Counts a call; the answer replaces its tokens by what it really used, or takes back a call that did not go out. */
  take(tokens: number, now: number): (used: number | 'unsent') => void
}

/** A sliding minute under the limits of a lane. A call larger than the whole limit is let through alone: the provider will say what it thinks of it. */
export function createMinuteWindow(limits: NonNullable<ModelHandle['laneLimits']>): MinuteWindow {
  const { requestsPerMinute = Infinity, tokensPerMinute = Infinity } = limits
  let entries: Entry[] = []
  const isFree = (requests: number, used: number, tokens: number): boolean =>
    requests === 0 || (requests < requestsPerMinute && used + tokens <= tokensPerMinute)
  return {
    waitMs: (tokens, now) => {
      entries = entries.filter(({ at }) => now - at < MINUTE_MS)
      let requests = entries.length
      let used = entries.reduce((sum, entry) => sum + entry.tokens, 0)
      if (isFree(requests, used, tokens)) return 0
      for (const entry of entries) {
        requests -= 1
        used -= entry.tokens
        if (isFree(requests, used, tokens)) return entry.at + MINUTE_MS - now
      }
      return 0
    },
    take: (tokens, now) => {
      const entry: Entry = { at: now, tokens }
      entries.push(entry)
      return (used) => {
        if (used === 'unsent') entries = entries.filter((each) => each !== entry)
        else entry.tokens = used
      }
    },
  }
}
