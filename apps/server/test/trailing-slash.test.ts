import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { PARROT, serveTeam } from './support/serve-team.ts'

const JSON_BODY = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const HI = [{ role: 'user', content: 'Hi' }]
const A2A_MESSAGE = { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'Hi' }] }

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}

describe('trailing slash', () => {
  it.each([
    ['/v1/Parrot', { q: 'Hi' }],
    ['/api/runs', undefined],
    ['/api/runs', { q: 'Hi' }],
    ['/api/approvals', undefined],
    ['/api/agents', undefined],
    ['/api/agents/Parrot/tools', undefined],
    ['/openai/v1/models', undefined],
    ['/openai/v1/chat/completions', { model: 'Parrot', messages: HI }],
    ['/anthropic/v1/messages', { model: 'Parrot', max_tokens: 10, messages: HI }],
    ['/mcp', INITIALIZE],
    ['/a2a/Parrot', { jsonrpc: '2.0', id: 1, method: 'message/send', params: { message: A2A_MESSAGE } }],
    ['/a2a/Parrot/.well-known/agent-card.json', undefined],
    ['/.well-known/agent-card.json', undefined],
    ['/api/chat', { messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }] }],
    ['/openapi.json', undefined],
    ['/metrics', undefined],
    ['/healthz', undefined],
    ['/readyz', undefined],
  ])('a path with a trailing slash gets the same response, not a redirect: %s', async (path, body) => {
    const { url } = await serveTeam({ cards: [PARROT] })
    const send = (at: string): Promise<Response> =>
      fetch(`${url}${at}`, {
        redirect: 'manual',
        ...(body === undefined ? {} : { method: 'POST', headers: JSON_BODY, body: JSON.stringify(body) }),
      })
    const [plain, slashed] = [await send(path), await send(`${path}/`)]
    expect(slashed.status).toBe(plain.status)
    expect(slashed.status).toBeLessThan(300)
    expect(slashed.headers.get('content-type')).toBe(plain.headers.get('content-type'))
    await Promise.all([plain.text(), slashed.text()])
  })

  it('every described route gives the same response with and without a trailing slash', async () => {
    const { url } = await serveTeam({ cards: [PARROT] })
    const { paths } = (await fetch(`${url}/openapi.json`).then((response) => response.json())) as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
    }
    const routes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map(
        (method) => [method.toUpperCase(), path.replaceAll(/\{\w+\}/gu, 'x')] as const,
      ),
    )
    expect(routes.length).toBeGreaterThan(40)
    for (const [method, path] of routes) {
      const send = async (at: string): Promise<readonly [number, string | null, string]> => {
        const response = await fetch(`${url}${at}`, { method, redirect: 'manual', headers: JSON_BODY })
        const type = response.headers.get('content-type')
        const isStream = type?.startsWith('text/event-stream') === true
        if (isStream) await response.body?.cancel()
        return [response.status, type, isStream || path === '/metrics' ? '' : await response.text()]
      }
      const plain = await send(path)
      expect([method, path, ...(await send(`${path}/`))]).toEqual([method, path, ...plain])
      expect(plain[2]).not.toContain('Nothing is served')
    }
  })

  it('a path with a trailing slash needs a token if the path does; sign-in and health checks do not', async () => {
    const token = 'a-long-enough-token'
    const { url } = await serveTeam({ cards: [PARROT], tokens: [{ token }] })
    expect((await fetch(`${url}/api/runs/`)).status).toBe(401)
    expect((await fetch(`${url}/healthz/`)).status).toBe(200)
    const signIn = await fetch(`${url}/api/sign-in/`, {
      method: 'POST',
      headers: JSON_BODY,
      body: JSON.stringify({ token }),
    })
    expect(signIn.status).toBe(204)
  })

  it('a WebSocket can be opened at a path with a trailing slash', async () => {
    const { url } = await serveTeam({ cards: [PARROT] })
    const socket = new WebSocket(`${url.replace('http', 'ws')}/mcp/ws/`, 'mcp')
    await new Promise((resolve, reject) => {
      socket.once('open', resolve)
      socket.once('error', reject)
    })
    expect(socket.protocol).toBe('mcp')
    socket.terminate()
  })
})
