import { toolResult } from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import { cache } from '../../src/index.ts'
import { smallSession } from '../support/call-through.ts'

describe('cache', () => {
  it('cache answers the same call from memory for the configured time, whatever the order of keys', async () => {
    const session = smallSession([cache({ ttl: '10s' })])
    const first = await session.call({ a: 1, b: { c: 2, d: 3 } })
    expect(await session.call({ b: { d: 3, c: 2 }, a: 1 })).toEqual(first)
    expect(session.calls).toHaveLength(1)
    await session.clock.advance(10_000)
    await session.call({ a: 1, b: { c: 2, d: 3 } })
    expect(session.calls).toHaveLength(2)
  })

  it('cache distinguishes tools, agents and scopes', async () => {
    const session = smallSession([cache({ scope: 'root' })])
    await session.call({})
    await session.call({}, { context: { toolName: 'other' } })
    await session.call({}, { context: { agentName: 'Other' } })
    await session.call({}, { context: { state: () => new Map() } })
    expect(session.calls).toHaveLength(4)
  })

  it('cache never stores a failure or the answer of a tool with side effects', async () => {
    const session = smallSession([cache()])
    const tool = (_args: object, _attempt: number) => toolResult.error('tool_failed', 'busy')
    await session.call({}, { tool })
    await session.call({}, { tool })
    await session.call({ x: 1 }, { context: { toolEffect: 'once' } })
    await session.call({ x: 1 }, { context: { toolEffect: 'once' } })
    expect(session.calls).toHaveLength(4)
  })

  it('cache evicts the oldest answer and does not return an answer of a forked child twice', async () => {
    const session = smallSession([cache({ maxEntries: 1 })])
    const child = { ...toolResult.text('x'), childRunId: 'run-2', merge: [] }
    await session.call({ n: 1 }, { tool: () => child })
    expect(await session.call({ n: 1 })).toEqual(toolResult.text('x'))
    await session.call({ n: 2 })
    await session.call({ n: 1 })
    expect(session.calls).toEqual([{ n: 1 }, { n: 2 }, { n: 1 }])
  })

  it('cache does not answer a call that a rule denies, as under another parent', async () => {
    const session = smallSession([cache({ scope: 'root' })])
    await session.call({ path: 'secrets' })
    await session.call({ path: 'secrets' }, { context: { isDenied: () => Promise.resolve(true) } })
    expect(session.calls).toHaveLength(2)
  })

  it('cache does not share memory with another cache hook', async () => {
    const session = smallSession([cache({ tools: ['a'] }), cache({ tools: ['work'] })])
    await session.call({})
    await session.call({})
    expect(session.calls).toHaveLength(1)
  })
})
