import type { Clock, ProviderLimiter } from '@troupe/schema'
import { CircuitBreaker } from './circuit-breaker.ts'
import { KeyLimiter } from './key-limiter.ts'
import { systemClock } from '../run/clock.ts'

/**
 * Creates the limiter of a process. Concurrency adapts per provider, key and model. Configured limits apply
 * per provider and key. Circuit breakers apply per provider and model, whatever the key.
 */
export function createProviderLimiter(
  parts: { readonly clock?: Clock; readonly random?: () => number } = {},
): ProviderLimiter {
  const { clock = systemClock, random = Math.random } = parts
  const keys = new Map<string, KeyLimiter>()
  const breakers = new Map<string, CircuitBreaker>()
  return {
    acquire: (request) => {
      const { limiterKey: key } = request.handle
      let limiter = keys.get(key)
      if (limiter === undefined) {
        const breakerOf = ({ id, endpoint = key }: typeof request.handle): CircuitBreaker =>
          getOrCreate(breakers, `${endpoint} ${id}`, () => new CircuitBreaker())
        keys.set(key, (limiter = new KeyLimiter({ clock, random, breakerOf })))
      }
      return limiter.acquire(request)
    },
  }
}

function getOrCreate<T>(map: Map<string, T>, key: string, create: () => T): T {
  let value = map.get(key)
  if (value === undefined) map.set(key, (value = create()))
  return value
}
