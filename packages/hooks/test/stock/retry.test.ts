import { toolResult } from '@troupe/schema'
import { settle, verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { retry } from '../../src/index.ts'
import { smallSession, type CallSetup } from '../support/call-through.ts'

const failing = (until: number, code: 'tool_failed' | 'tool_bad_arguments' = 'tool_failed'): CallSetup => ({
  tool: (_args, attempt) =>
    attempt < until ? toolResult.error(code, `busy ${attempt}`) : toolResult.text('here'),
})

describe('retry', () => {
  it(`retry calls again after a delay that doubles, with jitter, until the call succeeds ${verifies('R10')}`, async () => {
    const session = smallSession([retry({ attempts: 4, delay: '100ms' })], failing(3))
    const result = session.call({ n: 1 })
    await session.clock.advance(50)
    expect(session.calls).toHaveLength(2)
    await session.clock.advance(99)
    expect(session.calls).toHaveLength(2)
    await session.clock.advance(1)
    expect(await result).toEqual(toolResult.text('here'))
    expect(session.calls).toEqual([{ n: 1 }, { n: 1 }, { n: 1 }])
    expect(session.logs[0]).toBe('work failed on attempt 1 of 4; retrying in 50 ms')
    expect(session.clock.pending()).toBe(0)
  })

  it('retry returns the last failure when its attempts are used up', async () => {
    const session = smallSession([retry({ attempts: 2, delay: 0 })], failing(9))
    const result = session.call({})
    await session.clock.advance(0)
    expect((await result).failure?.message).toBe('busy 2')
  })

  it('retry does not repeat deterministic failures, denied calls, and tools that must not be repeated', async () => {
    const session = smallSession([retry({ delay: 0 })])
    await session.call({}, failing(9, 'tool_bad_arguments'))
    await session.call({}, { tool: () => toolResult.error('approval_denied', 'no') })
    await session.call({}, { ...failing(9), context: { toolEffect: 'once' } })
    expect(session.calls).toHaveLength(3)
  })

  it('retry follows the configured error codes and effects', async () => {
    const session = smallSession([
      retry({ attempts: 2, delay: 0, jitter: 'none', codes: ['tool_bad_arguments'], effects: ['once'] }),
    ])
    const once = { toolEffect: 'once' } as const
    const first = session.call({}, { ...failing(2, 'tool_bad_arguments'), context: once })
    await session.clock.advance(0)
    expect((await first).outcome).toBe('completed')
    expect((await session.call({}, { ...failing(9), context: once })).outcome).toBe('failed')
    expect(session.calls).toHaveLength(3)
  })

  it('retry stops waiting when the run is cancelled', async () => {
    const stop = new AbortController()
    const session = smallSession([retry({ delay: '1s', jitter: 'none' })], failing(9))
    const result = session.call({}, { context: { signal: stop.signal } })
    await settle()
    stop.abort()
    expect((await result).failure?.message).toBe('busy 1')
    expect(session.calls).toHaveLength(1)
    expect(session.clock.pending()).toBe(0)
  })
})
