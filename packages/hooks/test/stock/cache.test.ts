import { toolResult } from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import { cache } from '../../src/index.ts'
import { smallSession } from '../support/call-through.ts'

describe('cache', () => {
  it('answers the same call from memory, whatever the order of keys, as long as it is told', async () => {
    const session = smallSession([cache({ ttl: '10s' })])
    const first = await session.call({ a: 1, b: { c: 2, d: 3 } })
    expect(await session.call({ b: { d: 3, c: 2 }, a: 1 })).toEqual(first)
    expect(session.calls).toHaveLength(1)
    await session.clock.advance(10_000)
    await session.call({ a: 1, b: { c: 2, d: 3 } })
    expect(session.calls).toHaveLength(2)
  })

  it('tells tools, agents and scopes apart', async () => {
    const session = smallSession([cache({ scope: 'root' })])
    await session.call({})
    await session.call({}, { context: { toolName: 'other' } })
    await session.call({}, { context: { agentName: 'Other' } })
    await session.call({}, { context: { state: () => new Map() } })
    expect(session.calls).toHaveLength(4)
  })

  it('never keeps a failure, nor the answer of a tool that does something', async () => {
    const session = smallSession([cache()])
    const tool = (_args: object, _attempt: number) => toolResult.error('tool_failed', 'busy')
    await session.call({}, { tool })
    await session.call({}, { tool })
    await session.call({ x: 1 }, { context: { toolEffect: 'once' } })
    await session.call({ x: 1 }, { context: { toolEffect: 'once' } })
    expect(session.calls).toHaveLength(4)
  })

  it('forgets the oldest, and gives nothing of a forked child twice', async () => {
    const session = smallSession([cache({ maxEntries: 1 })])
    const child = { ...toolResult.text('x'), childRunId: 'run-2', merge: [] }
    await session.call({ n: 1 }, { tool: () => child })
    expect(await session.call({ n: 1 })).toEqual(toolResult.text('x'))
    await session.call({ n: 2 })
    await session.call({ n: 1 })
    expect(session.calls).toEqual([{ n: 1 }, { n: 2 }, { n: 1 }])
  })

  it('gives no answer to a call that a rule denies, as under another parent', async () => {
    const session = smallSession([cache({ scope: 'root' })])
    await session.call({ path: 'secrets' })
    await session.call({ path: 'secrets' }, { context: { isDenied: () => Promise.resolve(true) } })
    expect(session.calls).toHaveLength(2)
  })

  it('does not share memory with another hook of its kind', async () => {
    const session = smallSession([cache({ tools: ['a'] }), cache({ tools: ['work'] })])
    await session.call({})
    await session.call({})
    expect(session.calls).toHaveLength(1)
  })
})
