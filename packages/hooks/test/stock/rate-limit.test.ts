import { settle } from '@troupe/testkit/internal'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rateLimit } from '../../src/index.ts'
import { smallSession } from '../support/call-through.ts'

describe('rateLimit', () => {
  it('rateLimit queues calls in order until the window allows them', async () => {
    const session = smallSession([rateLimit({ calls: 2, per: '1s' })])
    const all = [1, 2, 3, 4, 5].map((n) => session.call({ n }))
    await settle()
    expect(session.calls).toHaveLength(2)
    await session.clock.advance(1000)
    expect(session.calls).toHaveLength(4)
    await session.clock.advance(1000)
    await Promise.all(all)
    expect(session.calls).toEqual([1, 2, 3, 4, 5].map((n) => ({ n })))
  })

  it('rateLimit rejects calls if configured, and calls that would wait too long', async () => {
    const refusing = smallSession([rateLimit({ calls: 1, per: '1m', whenFull: 'refuse' })])
    const waiting = smallSession([rateLimit({ calls: 1, per: '1m', maxWait: '10s' })])
    for (const session of [refusing, waiting]) {
      await session.call({})
      expect(await session.call({})).toMatchObject({
        outcome: 'failed',
        failure: { code: 'hook_rate_limited', class: 'limit', message: expect.stringContaining('60000 ms') },
      })
      await session.clock.advance(60_000)
      expect((await session.call({})).outcome).toBe('completed')
    }
  })

  it('rateLimit ends a waiting call when the run is cancelled', async () => {
    const stop = new AbortController()
    const session = smallSession([rateLimit({ calls: 1, per: '1s' })])
    await session.call({})
    const waiting = session.call({}, { context: { signal: stop.signal } })
    await settle()
    stop.abort()
    expect((await waiting).outcome).toBe('cancelled')
    expect(session.calls).toHaveLength(1)
    expect(session.clock.pending()).toBe(0)
  })

  it('rateLimit never exceeds its limit in any window', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 12 }),
        async (calls, gaps) => {
          const session = smallSession([rateLimit({ calls, per: 1000, maxWait: '1h' })])
          const starts: number[] = []
          const note = { tool: () => ({ outcome: 'completed' as const, content: [] }) }
          const all: Promise<unknown>[] = []
          for (const gap of gaps) {
            all.push(
              session.call(
                {},
                {
                  tool: () => {
                    starts.push(session.clock.monotonic())
                    return note.tool()
                  },
                },
              ),
            )
            await session.clock.advance(gap)
          }
          await session.clock.advance(60_000)
          await Promise.all(all)
          expect(starts).toHaveLength(gaps.length)
          const stretches = starts.slice(calls).map((start, index) => start - (starts[index] ?? 0))
          expect(stretches.filter((stretch) => stretch < 1000)).toEqual([])
        },
      ),
      { numRuns: 25 },
    )
  })
})
