import { cache } from '@troupe/hooks'

/** Returns the earlier result of an equal call for ten minutes. In a card: `{ use: troupe:cache, ttl: 10m }`. */
export const cacheReads = cache({ ttl: '10m' })
