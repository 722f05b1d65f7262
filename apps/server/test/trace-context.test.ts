import type { TraceContext } from '@troupe/schema'
import type { RunTracer } from '@troupe/schema/ports'
import { describe, expect, it } from 'vitest'
import { CLIENTS, connectMcp } from './support/connect-mcp.ts'
import { PARROT, serveTeam, type ServedTeam } from './support/serve-team.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const CALLER: TraceContext = { traceparent: `00-${TRACE}-00f067aa0ba902b7-01`, tracestate: 'vendor=1' }
const OTHER: TraceContext = { traceparent: `00-${TRACE}-00f067aa0ba902b8-00` }

/** A served agent, and the trace contexts of its runs. */
async function serveTraced(): Promise<
  ServedTeam & { readonly contexts: readonly (TraceContext | undefined)[] }
> {
  const contexts: (TraceContext | undefined)[] = []
  const tracer: RunTracer = {
    openTrace({ request }) {
      contexts.push(request.traceContext)
      return {
        onEvent: () => undefined,
        contextOfCall: () => CALLER,
        close: () => undefined,
        flush: () => Promise.resolve(),
      }
    },
    shutdown: () => Promise.resolve(),
  }
  const team = await serveTeam({ cards: [PARROT], hostOptions: { tracer } })
  return { ...team, contexts }
}

const MESSAGES = [{ role: 'user', content: 'Hi' }]
const PARTS = [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }]

const REQUESTS = [
  ['/v1/Parrot', { input: 'Hi' }],
  ['/api/runs', { agent: 'Parrot', input: 'Hi' }],
  ['/openai/v1/chat/completions', { model: 'Parrot', messages: MESSAGES }],
  ['/openai/v1/responses', { model: 'Parrot', input: 'Hi' }],
  ['/openai/v1/responses?in=background', { model: 'Parrot', input: 'Hi', background: true }],
  ['/anthropic/v1/messages', { model: 'Parrot', max_tokens: 100, messages: MESSAGES }],
  ['/api/chat', { agent: 'Parrot', messages: PARTS }],
  [
    '/agui/Parrot',
    {
      threadId: 't',
      runId: 'r',
      messages: [{ id: 'm', role: 'user', content: 'Hi' }],
      tools: [],
      context: [],
      state: {},
      forwardedProps: {},
    },
  ],
  [
    '/a2a/Parrot',
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'Hi' }] } },
    },
  ],
] as const

describe('the trace context of a request', () => {
  it.each(REQUESTS)('a run that POST %s starts belongs to the trace of its caller', async (path, body) => {
    const { url, contexts } = await serveTraced()
    const post = async (headers: Readonly<Record<string, string>>): Promise<void> => {
      const response = await fetch(`${url}${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', 'a2a-version': '1.0', ...headers },
      })
      await response.text()
    }
    await post({ ...CALLER })
    await expect.poll(() => contexts).toEqual([CALLER])
    await post({ traceparent: 'not valid' })
    await expect.poll(() => contexts).toEqual([CALLER, undefined])
  })

  it.each(CLIENTS)('a call of a %s MCP client belongs to the trace in its `_meta`', async (kind) => {
    const { url, contexts } = await serveTraced()
    const client = await connectMcp(kind, { url })
    const call = (meta: TraceContext | undefined): Promise<unknown> =>
      client.call({ input: 'Hi', format: 'text' }, 'Parrot', meta === undefined ? {} : { meta: { ...meta } })
    await call(CALLER)
    await call(undefined)
    await call(OTHER)
    expect(contexts).toEqual([CALLER, undefined, OTHER])
  })
})
