import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client'
import { defineAgent } from '@troupe/schema'
import { createServer as createNetServer, type AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { OidcOptions } from '../src/index.ts'
import { AUDIENCE, startIdentityProvider } from './support/identity-provider.ts'
import { createLoginHost, type LoginHost } from './support/mcp-login.ts'
import { PARROT, serveTeam } from './support/serve-team.ts'

/** An agent that exports a tool. */
const META = defineAgent({
  name: 'Meta',
  instruction: 'Repeat.',
  model: 'passthrough',
  exports: {
    tools: [
      {
        name: 'repeat',
        description: 'Repeats words.',
        parameters: { type: 'object', properties: { words: { type: 'string' } }, required: ['words'] },
        prompt: '{words}',
      },
    ],
  },
})

/** Returns a port that is free now. */
async function freePort(): Promise<number> {
  const server = createNetServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function connect(
  url: string,
  host: LoginHost,
  mode: 'legacy' | { readonly pin: string },
): Promise<{ readonly client: Client; readonly transport: StreamableHTTPClientTransport }> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } })
  onTestFinished(() => client.close())
  const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: host })
  return { client, transport }
}

describe('MCP clients that log in with OAuth', () => {
  it.each([
    ['a client of 2026-07-28', { pin: '2026-07-28' }, '/mcp', 'Parrot'],
    ['a client of the older protocol', 'legacy', '/mcp', 'Parrot'],
    ['a client of the tools of one agent', { pin: '2026-07-28' }, '/mcp/agents/Meta', 'Meta_repeat'],
  ] as const)(
    '%s finds the provider, registers, logs in as a user and calls a tool',
    async (_, mode, path, tool) => {
      const provider = await startIdentityProvider()
      const port = await freePort()
      const { url, records } = await serveTeam({
        cards: [PARROT, META],
        port,
        oidc: {
          issuer: provider.issuer,
          audience: `http://127.0.0.1:${port}/mcp`,
          scopes: ['troupe'],
          allowPrivate: true,
        },
      })
      const host = createLoginHost()
      const first = await connect(`${url}${path}`, host, mode)
      await expect(first.client.connect(first.transport)).rejects.toThrowError(UnauthorizedError)
      await first.transport.finishAuth(await host.browse('ada'))
      const { client, transport } = await connect(`${url}${path}`, host, mode)
      await client.connect(transport)
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toContain(tool)
      const args = tool === 'Parrot' ? { input: 'Hello', format: 'text' } : { words: 'Hello' }
      const result = await client.callTool({ name: tool, arguments: args })
      expect(result.content).toEqual([{ type: 'text', text: 'Hello' }])
      expect(provider.requests).toContain('POST /reg')
      const principals = new Set(records.map(({ principal }) => principal))
      expect(principals).toContain(`${provider.issuer}#ada`)
    },
  )

  it('a token without the scope gets 403 with the scope and the address of the metadata', async () => {
    const { url, provider } = await serveForMcp({ scopes: ['troupe'] })
    const response = await post(url, await provider.token())
    expect(response.status).toBe(403)
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer error="insufficient_scope"/u)
    expect(response.headers.get('www-authenticate')).toContain(
      `scope="troupe", resource_metadata="${url}/.well-known/oauth-protected-resource/mcp"`,
    )
  })
})

async function serveForMcp(options: Partial<OidcOptions> = {}) {
  const provider = await startIdentityProvider()
  const { url, errors } = await serveTeam({
    cards: [PARROT],
    oidc: { issuer: provider.issuer, audience: AUDIENCE, allowPrivate: true, ...options },
  })
  return { provider, url, errors }
}

async function post(url: string, token?: string, path = '/mcp'): Promise<Response> {
  return fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: '{}',
  })
}

describe('OAuth metadata of the MCP endpoints', () => {
  it.each(['', '/mcp', '/mcp/', '/mcp/agents/Parrot'])(
    'the metadata of the resource is served without a token at /.well-known/oauth-protected-resource%s',
    async (suffix) => {
      const { url, provider } = await serveForMcp({ scopes: ['troupe'] })
      const response = await fetch(`${url}/.well-known/oauth-protected-resource${suffix}`)
      expect([response.status, await response.json()]).toEqual([
        200,
        { resource: `${url}/mcp`, authorization_servers: [provider.issuer], scopes_supported: ['troupe'] },
      ])
    },
  )

  it('older clients find the metadata of the provider on the server', async () => {
    const { url, provider } = await serveForMcp()
    const response = await fetch(`${url}/.well-known/oauth-authorization-server`)
    expect(await response.json()).toMatchObject({
      issuer: provider.issuer,
      token_endpoint: `${provider.issuer}/token`,
    })
    const other = await serveForMcp()
    other.provider.fail(500)
    const failed = await fetch(`${other.url}/.well-known/oauth-authorization-server`)
    expect([failed.status, await failed.json()]).toMatchObject([
      503,
      { error: { code: 'identity_unavailable' } },
    ])
    expect(other.errors).toHaveLength(1)
  })

  it.each(['/mcp', '/mcp/agents/Parrot', '/mcp/sse'])(
    'a request without a token gets the address of the metadata at %s',
    async (path) => {
      const { url } = await serveForMcp({ scopes: ['troupe'] })
      const response = await post(url, undefined, path)
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toContain(
        `scope="troupe", resource_metadata="${url}/.well-known/oauth-protected-resource/mcp"`,
      )
    },
  )

  it('the metadata names the public address of the server', async () => {
    const provider = await startIdentityProvider()
    const { url } = await serveTeam({
      cards: [PARROT],
      publicUrl: 'https://agents.example.com/team',
      oidc: { issuer: provider.issuer, audience: AUDIENCE, allowPrivate: true },
    })
    const response = await fetch(`${url}/.well-known/oauth-protected-resource`)
    expect(await response.json()).toMatchObject({ resource: 'https://agents.example.com/team/mcp' })
    expect((await post(url)).headers.get('www-authenticate')).toContain(
      'resource_metadata="https://agents.example.com/.well-known/oauth-protected-resource/team/mcp"',
    )
  })

  it('other endpoints do not name the metadata of MCP', async () => {
    const { url } = await serveForMcp()
    const response = await fetch(`${url}/api/runs`)
    expect(response.headers.get('www-authenticate')).not.toContain('resource_metadata')
  })

  it('a server without a provider has no metadata', async () => {
    const { url } = await serveTeam({ cards: [PARROT] })
    expect((await fetch(`${url}/.well-known/oauth-protected-resource`)).status).toBe(404)
    const closed = await serveTeam({ cards: [PARROT], tokens: [{ token: 'token-of-ada-0001' }] })
    expect((await fetch(`${closed.url}/.well-known/oauth-protected-resource`)).status).toBe(401)
    expect((await post(closed.url)).headers.get('www-authenticate')).toBe('Bearer')
  })
})
