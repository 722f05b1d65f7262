import { pathToFileURL } from 'node:url'
import { join } from 'node:path'
import {
  failure,
  resultText,
  type McpServerConfig,
  type SampleAnswer,
  type SampleRequest,
  type ToolContext,
} from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import { startTeam } from './support/http-servers.ts'
import { call, leaseOf, nodeServer, SERVERS, testPool } from './support/test-pool.ts'

const ERAS = ['modern', 'legacy'] as const

/** Returns the definition of the test server in one protocol era. */
async function teamIn(era: (typeof ERAS)[number], more: McpServerConfig = {}): Promise<McpServerConfig> {
  if (era === 'legacy') return { ...nodeServer('older-team-stdio.ts'), ...more }
  const { url } = await startTeam({ legacy: 'reject' })
  return { url, ...more }
}

interface Sampler extends Pick<ToolContext, 'sample' | 'progress'> {
  readonly requests: SampleRequest[]
  readonly progressed: string[]
}

function sampler(answer: SampleAnswer = { text: 'Hi.', model: 'test/one', finishReason: 'stop' }): Sampler {
  const requests: SampleRequest[] = []
  const progressed: string[] = []
  return {
    requests,
    progressed,
    progress: (text) => void progressed.push(text),
    sample: (request) => {
      requests.push(request)
      return Promise.resolve(answer)
    },
  }
}

describe.each(ERAS)('a %s MCP server that requests a model call', (era) => {
  it('a server with sampling: allow gets an answer of the model of the agent that calls it', async () => {
    const lease = await leaseOf(testPool(), await teamIn(era, { sampling: 'allow' }))
    const own = sampler({ text: 'Hi.', model: 'test/one', finishReason: 'length' })
    const result = await call(lease, 'ask_model', { tokens: 100_000, times: 1 }, own)
    expect(JSON.parse(resultText(result))).toMatchObject({
      role: 'assistant',
      content: { type: 'text', text: 'Hi.' },
      model: 'test/one',
      stopReason: 'maxTokens',
    })
    expect(own.requests).toEqual([
      {
        system: 'Be short.',
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Say hi' }] }],
        maxOutputTokens: 4096,
      },
    ])
    expect(own.progressed).toContain('the MCP server "tm" uses the model')
  })

  it.each([{}, { sampling: 'deny' }] as const)('a server with %j gets no answer of a model', async (more) => {
    const lease = await leaseOf(testPool(), await teamIn(era, more))
    const own = sampler()
    const result = await call(lease, 'ask_model', { tokens: 10, times: 1 }, own)
    expect(result.outcome).toBe('failed')
    expect(own.requests).toEqual([])
  })

  it('a failure of the model reaches the server by its code only', async () => {
    const lease = await leaseOf(testPool(), await teamIn(era, { sampling: 'allow' }))
    const own = sampler({ failure: failure('budget_exceeded', 'The secret budget is used up.') })
    const result = await call(lease, 'ask_model', { tokens: 10, times: 1 }, own)
    expect(resultText(result)).toContain('budget_exceeded')
    expect(resultText(result)).not.toContain('secret')
  })

  it('a server gets the folders of its definition, and none without them', async () => {
    const lease = await leaseOf(testPool(), await teamIn(era, { roots: ['data', '/srv/shared'] }))
    const uris = [pathToFileURL(join(SERVERS, 'data')).href, 'file:///srv/shared']
    const found = resultText(await call(lease, 'folders'))
    for (const uri of uris) expect(found).toContain(JSON.stringify({ uri }))
    const without = await leaseOf(testPool(), await teamIn(era))
    expect((await call(without, 'folders')).outcome).toBe('failed')
  })
})

it('a server may use the model at most ten times during one call', async () => {
  const lease = await leaseOf(testPool(), await teamIn('legacy', { sampling: 'allow' }))
  const own = sampler()
  const result = await call(lease, 'ask_model', { tokens: 10, times: 11 }, own)
  expect(resultText(result)).toContain('a call may use the model 10 times')
  expect(own.requests).toHaveLength(10)
  expect((await call(lease, 'ask_model', { tokens: 10, times: 10 }, sampler())).outcome).toBe('completed')
})

it('a model call that belongs to no known call of a shared connection is refused', async () => {
  const lease = await leaseOf(testPool(), await teamIn('legacy', { sampling: 'allow' }))
  const own = sampler()
  const waiting = new AbortController()
  const other = call(lease, 'wait', {}, { signal: waiting.signal })
  const result = await call(lease, 'ask_model', { tokens: 10, times: 1 }, own)
  waiting.abort()
  await other
  expect(resultText(result)).toContain('several calls share the connection')
  expect(own.requests).toEqual([])
})
