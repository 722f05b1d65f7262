import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { approve, deny } from '../../src/index.ts'
import { smallSession } from '../support/call-through.ts'

describe('deny', () => {
  it(`deny answers for the tools it names, which never run ${verifies('B35')}`, async () => {
    const session = smallSession([
      deny({ tools: ['shell.*'], except: ['shell.list'], reason: 'Only reads.' }),
    ])
    const denied = await session.call({}, { context: { toolName: 'shell.execute' } })
    expect(denied).toMatchObject({
      outcome: 'denied',
      content: [{ type: 'text', text: 'Error: Only reads.' }],
      failure: { code: 'permission_denied' },
    })
    await session.call({ n: 1 }, { context: { toolName: 'shell.list' } })
    await session.call({ n: 2 }, { context: { toolName: 'work' } })
    expect(session.calls).toEqual([{ n: 1 }, { n: 2 }])
  })

  it(`deny distinguishes sources of tools ${verifies('B44')}`, async () => {
    const session = smallSession([deny({ tools: ['*'], sources: ['mcp', 'agent'] })])
    expect((await session.call({}, { context: { toolSource: 'agent' } })).outcome).toBe('denied')
    expect((await session.call({}, { context: { toolSource: 'runtime' } })).outcome).toBe('completed')
  })
})

describe('approve', () => {
  it('approve requests approval for tools with the configured effects and passes its reason', async () => {
    const asked: unknown[] = []
    const context = { requireApproval: (reason?: string) => void asked.push(reason) }
    const session = smallSession([approve({ effects: ['once'], reason: 'It cannot be undone.' })], {
      context,
    })
    await session.call({}, { context: { toolEffect: 'once' } })
    await session.call({}, { context: { toolEffect: 'read' } })
    expect(asked).toEqual(['It cannot be undone.'])
    expect(session.calls).toHaveLength(2)
  })
})
