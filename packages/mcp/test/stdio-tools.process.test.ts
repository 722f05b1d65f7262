import { resultText } from '@troupe/schema'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { eventually, groupMembers } from './support/process-table.ts'
import { call, leaseOf, nodeServer, processOf, testPool, toolNamed } from './support/test-pool.ts'

const team = nodeServer('team-stdio.ts')
const older = nodeServer('older-stdio.mjs')

describe('the tools of a stdio server', () => {
  it(`the tools of a stdio server become definitions with canonical and wire names ${verifies('C35', 'B40', 'R2')}`, async () => {
    const lease = await leaseOf(testPool(), team)
    expect(toolNamed(lease, 'delete.all')).toMatchObject({
      name: 'tm__delete.all',
      wireName: 'tm__delete_all',
      source: 'mcp',
      server: 'tm',
      description: 'Deletes.',
    })
    expect(toolNamed(lease, 'echo').inputSchema).toMatchObject({
      type: 'object',
      properties: { text: { type: 'string' } },
      required: ['text'],
    })
  })

  it('the tools of a stdio server have the effect of their annotations, or else the most careful one', async () => {
    const lease = await leaseOf(testPool(), team)
    expect(toolNamed(lease, 'echo').effect).toBe('read')
    expect(toolNamed(lease, 'add').effect).toBe('idempotent')
    expect(toolNamed(lease, 'fail').effect).toBe('once')
  })

  it(`the tools of a stdio server require approval if they are destructive or the configuration says so ${verifies('R16')}`, async () => {
    const pool = testPool()
    const plain = await leaseOf(pool, team)
    const named = await leaseOf(pool, { ...team, requiresApproval: ['e*'] })
    const all = await leaseOf(pool, { ...team, requiresApproval: true })
    const asking = [plain, named, all].map((lease) =>
      ['echo', 'fail', 'delete.all'].filter((name) => toolNamed(lease, name).requiresApproval === true),
    )
    expect(asking).toEqual([['delete.all'], ['echo', 'delete.all'], ['echo', 'fail', 'delete.all']])
  })

  it('the tools of a stdio server get their timeout from the configuration', async () => {
    const lease = await leaseOf(testPool(), { ...team, toolTimeout: 1234 })
    expect(toolNamed(lease, 'echo').timeoutMs).toBe(1234)
  })

  it.each([
    ['the protocol of 2026-07-28', team],
    ['the protocol before it', older],
  ])('the tools of a stdio server are called in %s', async (_name, config) => {
    const lease = await leaseOf(testPool(), config)
    expect(await call(lease, 'echo', { text: 'grüezi' })).toEqual({
      outcome: 'completed',
      content: [{ type: 'text', text: 'grüezi' }],
    })
  })

  it('the tools of a stdio server are called in the newest protocol that it supports', async () => {
    expect(resultText(await call(await leaseOf(testPool(), team), 'era'))).toBe('modern')
  })

  it('the tools of a stdio server are listed page by page', async () => {
    const lease = await leaseOf(testPool(), nodeServer('fault-stdio.mjs', 'pages'))
    expect(lease.tools.map((tool) => tool.name)).toEqual(['tm__tool0', 'tm__tool1', 'tm__tool2'])
  })

  it.each([
    ['2026-07-28', team],
    ['the protocol before it', older],
  ])(
    'the tools of a stdio server are listed again for the next lease after a change, in %s',
    async (_era, config) => {
      const pool = testPool()
      const warnings: string[] = []
      const first = await leaseOf(pool, config, { onWarning: (text) => warnings.push(text) })
      await call(first, 'learn')
      await eventually('a lease with the new tool', async () => {
        const second = await leaseOf(pool, config)
        await second.release()
        return second.tools.some((tool) => tool.name === 'tm__learned')
      })
      const later = await leaseOf(pool, config)
      expect(first.tools.map((tool) => tool.name)).not.toContain('tm__learned')
      expect(toolNamed(later, 'echo')).toBe(toolNamed(first, 'echo'))
      expect(warnings).toEqual(['The MCP server "tm" changed its tools: added learned.'])
    },
  )
})

describe('the result of a call', () => {
  it('the result of a call keeps every part and the structured value', async () => {
    const lease = await leaseOf(testPool(), team)
    expect(await call(lease, 'picture')).toEqual({
      outcome: 'completed',
      content: [
        { type: 'data', mediaType: 'image/png', base64: 'aW1n' },
        { type: 'data', mediaType: 'audio/wav', base64: 'YXVkaW8=' },
        { type: 'text', text: 'inside', uri: 'file:///a.txt' },
        { type: 'text', text: 'https://example.com/b' },
      ],
    })
    expect(await call(lease, 'add', { a: 2, b: 3 })).toMatchObject({ structured: { sum: 5 } })
  })

  it("the result of a call is a failure with the server's text if the tool reports one", async () => {
    const result = await call(await leaseOf(testPool(), team), 'fail')
    expect(result).toMatchObject({
      outcome: 'failed',
      content: [{ type: 'text', text: 'Error: no such city' }],
      failure: { code: 'tool_failed', message: 'no such city' },
    })
  })

  it('the result of a call is mcp_failed for a protocol error', async () => {
    const result = await call(await leaseOf(testPool(), nodeServer('fault-stdio.mjs', 'refuse')), 'act')
    expect(result.failure).toMatchObject({
      code: 'mcp_failed',
      message: expect.stringContaining('no such thing'),
    })
  })

  it('the result of a call is mcp_failed for an unknown format', async () => {
    const result = await call(await leaseOf(testPool(), nodeServer('fault-stdio.mjs', 'odd')), 'act')
    expect(result.failure?.code).toBe('mcp_failed')
  })

  it('the progress of a call is passed on', async () => {
    const told: string[] = []
    const lease = await leaseOf(testPool(), team)
    await call(lease, 'count', {}, { progress: (text) => told.push(text) })
    expect(told).toEqual(['counting (1/2)', 'counting (2/2)'])
  })

  it('a cancelled call ends at once, and the server is notified', async () => {
    const pool = testPool()
    const lease = await leaseOf(pool, team)
    const stop = new AbortController()
    const reason = { class: 'timeout', code: 'tool_timeout', message: 'too slow', remediation: '' }
    const waiting = call(lease, 'wait', {}, { signal: stop.signal })
    await call(lease, 'echo', { text: 'the call before is under way' })
    stop.abort(reason)
    expect((await waiting).failure).toEqual(reason)
    await eventually('the server stops too', async () => resultText(await call(lease, 'stopped')) === '1')
  })

  it('a call continues when the server requires another request', async () => {
    expect(resultText(await call(await leaseOf(testPool(), team), 'again'))).toBe('at last')
  })

  it('an elicitation on a shared connection with several calls is refused with a reason', async () => {
    const lease = await leaseOf(testPool(), older)
    expect(resultText(await call(lease, 'ask'))).toMatch(/does not support|not found/iu)
  })
})

describe('many calls at once', () => {
  it('many calls at once get their own answers', async () => {
    const lease = await leaseOf(testPool(), team)
    const texts = Array.from({ length: 200 }, (_none, index) => `call ${index}`)
    const results = await Promise.all(texts.map((text) => call(lease, 'echo', { text })))
    expect(results.map(resultText)).toEqual(texts)
  })
})

describe('a lease', () => {
  it('a lease leaves nothing behind once the pool is closed', async () => {
    const pool = testPool()
    const { pid } = await processOf(await leaseOf(pool, team))
    expect(groupMembers(pid)).toContain(pid)
    await pool.close()
    expect(groupMembers(pid)).toEqual([])
  })
})
