import { fakeClock } from '@troupe/testkit/internal'
import { expect, it } from 'vitest'
import { createRateLimit } from '../src/gate/rate-limit.ts'

/** The number of principals that are tracked at once. */
const MOST = 10_000

it('a principal can send all of its requests at once, and its allowance refills evenly', async () => {
  const clock = fakeClock()
  const limit = createRateLimit(2, clock)
  expect([limit('a'), limit('a')]).toEqual([undefined, undefined])
  expect(limit('a')).toMatchObject({ code: 'rate_limited', retryAt: clock.now() + 30_000 })
  await clock.advance(29_999)
  expect(limit('a')).toMatchObject({ code: 'rate_limited' })
  await clock.advance(1)
  expect(limit('a')).toBeUndefined()
  expect(limit('a')).toMatchObject({ code: 'rate_limited' })
})

it('requests of one principal do not count for another one', () => {
  const limit = createRateLimit(1, fakeClock())
  expect([limit('a'), limit('b')]).toEqual([undefined, undefined])
  expect(limit('b')).toMatchObject({ code: 'rate_limited' })
})

it('the rate limiter forgets the principal that was inactive longest, whatever the order of arrival', async () => {
  const clock = fakeClock()
  const limit = createRateLimit(1, clock)
  for (let index = 0; index < MOST; index += 1) expect(limit(`p${index}`)).toBeUndefined()
  await clock.advance(1)
  expect(limit('p0')).toMatchObject({ code: 'rate_limited' })
  expect(limit('newcomer')).toBeUndefined()
  expect(limit('p0')).toMatchObject({ code: 'rate_limited' })
  expect(limit('p2')).toMatchObject({ code: 'rate_limited' })
  expect(limit('p1')).toBeUndefined()
})
