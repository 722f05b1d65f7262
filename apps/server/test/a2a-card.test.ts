import { defineAgent } from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import { PARROT, serveTeam } from './support/serve-team.ts'

const CARD = '/.well-known/agent-card.json'
const VERSION = { 'a2a-version': '1.0' }
const TOKEN = 'token-of-ada-0001'
const SIGNED_IN = { ...VERSION, authorization: `Bearer ${TOKEN}` }
const tokens = [{ token: TOKEN, principal: 'ada' }]

const guide = defineAgent({
  name: 'Guide',
  description: 'Guides.',
  instruction: 'Guide.',
  model: 'passthrough',
  exports: { skills: [{ id: 'walk', name: 'Walk', description: 'Plans a walk.', tags: ['city'] }] },
})
const secretive = defineAgent({
  name: 'Secretive',
  description: 'Knows the plans of Acme.',
  usage: 'What does Acme plan?',
  instruction: 'Tell.',
  model: 'passthrough',
})

async function json(response: Response): Promise<unknown> {
  expect(response.status).toBe(200)
  return response.json()
}

describe('authentication in agent cards', () => {
  it('the public card needs no token and names the ways to authenticate, in both versions', async () => {
    const { url } = await serveTeam({ cards: [guide], tokens })
    for (const path of [CARD, `/a2a/Guide${CARD}`]) {
      expect(await json(await fetch(`${url}${path}`, { headers: VERSION }))).toMatchObject({
        name: 'Guide',
        description: 'Guides.',
        skills: [{ id: 'walk' }],
        capabilities: { extendedAgentCard: true },
        securitySchemes: {
          bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } },
          apiKey: { apiKeySecurityScheme: { location: 'header', name: 'x-api-key' } },
        },
        securityRequirements: [{ schemes: { bearer: {} } }, { schemes: { apiKey: {} } }],
      })
      // a client that names no version may be of either one
      expect(await json(await fetch(`${url}${path}`))).toMatchObject({
        supportsAuthenticatedExtendedCard: true,
        capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
        securitySchemes: {
          bearer: { type: 'http', scheme: 'Bearer', httpAuthSecurityScheme: { scheme: 'Bearer' } },
        },
        security: [{ bearer: [] }, { apiKey: [] }],
        securityRequirements: [{ schemes: { bearer: {} } }, { schemes: { apiKey: {} } }],
      })
    }
  })

  it('only the extended card describes an agent that exports no skills, and needs a token', async () => {
    const { url } = await serveTeam({ cards: [secretive], tokens })
    const card = await fetch(`${url}${CARD}`, { headers: VERSION })
    const text = await card.text()
    expect(text).toContain('Secretive')
    expect(text).not.toContain('Acme')
    const agent = `${url}/a2a/Secretive`
    expect((await fetch(`${agent}/extendedAgentCard`, { headers: VERSION })).status).toBe(401)
    const full = {
      description: 'Knows the plans of Acme.',
      skills: [{ id: 'Secretive', examples: ['What does Acme plan?'] }],
    }
    expect(await json(await fetch(`${agent}/extendedAgentCard`, { headers: SIGNED_IN }))).toMatchObject(full)
    const call = await fetch(agent, {
      method: 'POST',
      headers: { ...SIGNED_IN, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'GetExtendedAgentCard', params: {} }),
    })
    expect(await json(call)).toMatchObject({ result: full })
  })

  it('without a token, nothing but cards is served, and unknown names reveal no agents', async () => {
    const { url } = await serveTeam({ cards: [guide, PARROT], tokens })
    const unknown = await fetch(`${url}/a2a/Nobody${CARD}`)
    expect(unknown.status).toBe(404)
    expect(await unknown.text()).not.toMatch(/Guide|Parrot/u)
    for (const path of ['', '/tasks', '/message:send', '/extendedAgentCard', `/tasks${CARD}`, `${CARD}/more`])
      expect([path, (await fetch(`${url}/a2a/Guide${path}`, { headers: VERSION })).status]).toEqual([
        path,
        401,
      ])
  })

  it('a server without tokens declares no authentication and no extended card', async () => {
    const { url } = await serveTeam({ cards: [secretive] })
    const card = await json(await fetch(`${url}${CARD}`, { headers: VERSION }))
    expect(card).toMatchObject({ description: 'Knows the plans of Acme.' })
    expect(card).not.toHaveProperty('securitySchemes')
    expect(card).not.toHaveProperty('securityRequirements')
    expect(card).not.toHaveProperty('capabilities.extendedAgentCard', true)
    const extended = await fetch(`${url}/a2a/Secretive/extendedAgentCard`, { headers: VERSION })
    expect(extended.status).toBe(400)
    expect(await extended.json()).toMatchObject({ error: { details: [{ reason: 'UNSUPPORTED_OPERATION' }] } })
  })

  it('an identity provider of the server is a scheme of the card', async () => {
    const issuer = 'https://id.example.com/'
    const { url } = await serveTeam({ cards: [guide], oidc: { issuer, audience: 'troupe' } })
    const card = await json(await fetch(`${url}${CARD}`, { headers: VERSION }))
    const openIdConnectUrl = 'https://id.example.com/.well-known/openid-configuration'
    expect(card).toMatchObject({
      securitySchemes: { openIdConnect: { openIdConnectSecurityScheme: { openIdConnectUrl } } },
      securityRequirements: [{ schemes: { openIdConnect: {} } }],
    })
  })

  it('a server behind a trusted proxy describes agents in their public cards only if they export skills', async () => {
    const trustedProxy = { peers: ['10.0.0.1'], userHeader: 'x-user' }
    const { url } = await serveTeam({ cards: [secretive], trustedProxy })
    const card = await json(await fetch(`${url}${CARD}`, { headers: VERSION }))
    expect(JSON.stringify(card)).not.toContain('Acme')
    expect(card).toMatchObject({ capabilities: { extendedAgentCard: true } })
  })
})

it('a server of version 1.0 alone sends cards of that version to all clients, and rejects 0.3', async () => {
  const { url } = await serveTeam({ cards: [guide], a2a: { versions: ['1.0'] } })
  const card = await json(await fetch(`${url}${CARD}`))
  expect(card).toEqual(await json(await fetch(`${url}${CARD}`, { headers: VERSION })))
  expect(card).toMatchObject({
    supportedInterfaces: [{ protocolVersion: '1.0' }, { protocolVersion: '1.0' }],
  })
  expect(card).not.toHaveProperty('protocolVersion')
  const response = await fetch(`${url}/a2a/Guide`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { id: 'x' } }),
  })
  expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining('0.3') } })
})

describe('caching of agent cards', () => {
  it('a card can be cached, and an unchanged card is not sent again', async () => {
    const { url } = await serveTeam({ cards: [guide] })
    const read = (headers: Readonly<Record<string, string>>) => fetch(`${url}${CARD}`, { headers })
    const first = await read(VERSION)
    const etag = first.headers.get('etag') ?? ''
    expect(first.headers.get('cache-control')).toBe('public, max-age=300')
    expect(first.headers.get('vary')).toMatch(/A2A-Version/u)
    expect(etag).toMatch(/^".{20,}"$/u)
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await read({ ...VERSION, 'if-none-match': known })
      expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag])
    }
    expect((await read({ ...VERSION, 'if-none-match': '"other"' })).status).toBe(200)
    expect((await read({})).headers.get('etag')).not.toBe(etag)
  })
})
