import { defineAgent } from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { readServerConfig, type ServerToken } from '../src/index.ts'
import { PARROT, serveTeam, type TeamToServe } from './support/serve-team.ts'

const TOKENS: readonly ServerToken[] = [
  { token: 'token-of-ada-0001', principal: 'ada', role: 'operator' },
  { token: 'token-of-ben-0001', principal: 'ben' },
  { token: 'token-of-vic-0001', principal: 'ben', role: 'viewer' },
  { token: 'token-of-eve-0001', principal: 'eve' },
]

interface Answer {
  readonly status: number
  readonly body: Record<string, unknown>
}

async function serveWithRoles(team: Partial<TeamToServe> = {}) {
  const served = await serveTeam({ cards: [PARROT], tokens: TOKENS, ...team })
  const as =
    (name: string) =>
    async (path: string, body?: unknown): Promise<Answer> => {
      const response = await fetch(`${served.url}${path}`, {
        headers: {
          authorization: `Bearer token-of-${name}-0001`,
          accept: 'application/json',
          'content-type': 'application/json',
        },
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      })
      const text = await response.text()
      return {
        status: response.status,
        body: text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : { text },
      }
    }
  const [ada, ben, vic, eve] = [as('ada'), as('ben'), as('vic'), as('eve')]
  return {
    ...served,
    ada,
    ben,
    vic,
    eve,
    async runOfBen(): Promise<string> {
      const { body } = await ben('/api/runs', { q: 'Hi' })
      const runId = String(body['runId'])
      await expect
        .poll(async () => (await ben(`/api/runs/${runId}`)).body)
        .toMatchObject({ state: 'completed' })
      return runId
    },
  }
}

describe('viewers', () => {
  it('a viewer reads the runs of its principal and the documents of the server', async () => {
    const { vic, runOfBen } = await serveWithRoles()
    const runId = await runOfBen()
    expect((await vic('/api/runs')).body).toMatchObject({ runs: [{ runId }] })
    for (const path of [
      `/api/runs/${runId}`,
      `/api/runs/${runId}/events`,
      '/api/agents',
      '/api/models',
      '/api/approvals',
      '/openapi.json',
      '/metrics',
      '/openai/v1/models',
      '/anthropic/v1/models',
      '/a2a/Parrot/.well-known/agent-card.json',
      '/.well-known/agent-card.json',
    ])
      expect([path, (await vic(path)).status]).toEqual([path, 200])
  })

  it.each([
    ['GET /v1/:agent', '/v1/Parrot?q=Hi', undefined],
    ['POST /v1/:agent', '/v1/Parrot', { q: 'Hi' }],
    ['POST /api/runs', '/api/runs', { q: 'Hi' }],
    ['POST …/stop', '/api/runs/RUN/stop', {}],
    ['POST …/retry', '/api/runs/RUN/retry', {}],
    ['POST …/fork', '/api/runs/RUN/fork', { at: '1' }],
    ['POST …/approvals', '/api/runs/RUN/approvals/a', { decision: 'approved' }],
    ['POST /api/chat', '/api/chat', {}],
    ['POST /openai/v1/responses', '/openai/v1/responses', { model: 'Parrot', input: 'Hi' }],
    ['POST /anthropic/v1/messages', '/anthropic/v1/messages', {}],
    ['POST /mcp', '/mcp', {}],
    ['GET /mcp', '/mcp', undefined],
    ['GET /mcp/sse', '/mcp/sse', undefined],
    ['POST /a2a/:agent', '/a2a/Parrot', {}],
    ['POST /agui/:agent', '/agui/Parrot', {}],
    ['POST /api/schedules', '/api/schedules/Parrot/pause', {}],
    ['another path', '/nowhere', undefined],
  ])('a viewer gets 403 for %s', async (_, path, body) => {
    const { vic, runOfBen, store } = await serveWithRoles()
    const runId = await runOfBen()
    const { status, body: answer } = await vic(path.replace('RUN', runId), body)
    expect(status).toBe(403)
    expect(JSON.stringify(answer)).toContain('A viewer can only read.')
    expect(await store.roots()).toHaveLength(1)
  })

  it('a viewer cannot open a WebSocket connection', async () => {
    const { url } = await serveWithRoles()
    const socket = new WebSocket(`${url.replace('http', 'ws')}/mcp/ws`, ['mcp'], {
      headers: { authorization: 'Bearer token-of-vic-0001' },
    })
    const message = await new Promise((resolve) => {
      socket.on('error', (error) => resolve(error.message))
      socket.on('open', () => resolve('open'))
    })
    expect(message).toContain('403')
  })

  it('a viewer does not see the runs of others', async () => {
    const { vic, eve } = await serveWithRoles()
    const runId = String((await eve('/api/runs', { q: 'secret' })).body['runId'])
    expect((await vic(`/api/runs/${runId}`)).status).toBe(404)
    expect(await vic('/api/runs?principal=eve')).toMatchObject({
      status: 403,
      body: { error: { code: 'operator_required' } },
    })
  })
})

describe('users', () => {
  it('a user cannot list the runs and approvals of others', async () => {
    const { eve, runOfBen } = await serveWithRoles()
    await runOfBen()
    for (const path of ['/api/runs?principal=*', '/api/runs?principal=ben', '/api/approvals?principal=*'])
      expect(await eve(path)).toMatchObject({ status: 403, body: { error: { code: 'operator_required' } } })
    expect(await eve('/api/runs?principal=eve')).toEqual({ status: 200, body: { runs: [] } })
  })
})

describe('operators', () => {
  it('an operator lists its own runs by default, those of a principal, or all with their owners', async () => {
    const { ada, runOfBen } = await serveWithRoles()
    const runId = await runOfBen()
    expect((await ada('/api/runs')).body).toEqual({ runs: [] })
    expect((await ada('/api/runs?principal=ben')).body).toMatchObject({ runs: [{ runId }] })
    const own = String((await ada('/api/runs', { q: 'Hi' })).body['runId'])
    expect((await ada('/api/runs?principal=*')).body).toMatchObject({
      runs: [
        { runId: own, principal: 'ada' },
        { runId, principal: 'ben' },
      ],
    })
    const { body: page } = await ada('/api/runs?principal=*&limit=1')
    expect(page).toMatchObject({ next: own })
    expect((await ada(`/api/runs?principal=*&limit=1&before=${own}`)).body).toMatchObject({
      runs: [{ runId }],
    })
  })

  it('an operator lists the runs of all principals that are not stored', async () => {
    const secret = defineAgent({
      name: 'Secret',
      instruction: 'Repeat.',
      model: 'passthrough',
      store: 'none',
    })
    const { ada, ben } = await serveWithRoles({ cards: [secret] })
    const runId = String((await ben('/api/runs', { q: 'Hi' })).body['runId'])
    await expect
      .poll(async () => (await ada('/api/runs?principal=*')).body)
      .toMatchObject({ runs: [{ runId, principal: 'ben', state: 'completed' }] })
    expect((await ada(`/api/runs/${runId}`)).status).toBe(200)
  })

  it('an operator reads, follows, repeats and stops the run of another principal as its owner', async () => {
    const { ada, ben, eve, store, runOfBen } = await serveWithRoles()
    const runId = await runOfBen()
    expect((await ada(`/api/runs/${runId}`)).body).toMatchObject({ runId, output: { text: 'Hi' } })
    expect((await ada(`/api/runs/${runId}/events`)).body['events']).not.toEqual([])
    expect((await ada(`/api/runs/${runId}/prompts`)).body).toMatchObject({ prompts: [{ agent: 'Parrot' }] })
    const again = String((await ada(`/api/runs/${runId}/retry`, {})).body['runId'])
    await expect
      .poll(async () => (await ben(`/api/runs/${again}`)).body)
      .toMatchObject({ state: 'completed' })
    expect((await ada(`/api/runs/${again}/stop`, {})).status).toBe(200)
    expect(await store.roots({ principal: 'ada' })).toEqual([])
    expect((await eve(`/api/runs/${runId}`)).status).toBe(404)
    expect((await ada('/api/runs/run_none')).status).toBe(404)
  })

  it('an operator with another principal than `local` manages schedules and exported tools', async () => {
    const clerk = defineAgent({
      name: 'Clerk',
      instruction: 'Repeat.',
      model: 'passthrough',
      schedule: { cron: '0 9 * * *', timeZone: 'Europe/Berlin', input: 'Report' },
    })
    const { ada, ben } = await serveWithRoles({ cards: [clerk] })
    expect((await ada('/api/schedules')).body).toMatchObject({ schedules: [{ name: 'Clerk' }] })
    expect((await ada('/api/schedules/Clerk/pause', {})).body).toMatchObject({ isPaused: true })
    expect((await ada('/api/agents/Clerk/tools')).status).toBe(200)
    expect((await ben('/api/schedules/Clerk/pause', {})).status).toBe(403)
    expect((await ben('/api/agents/Clerk/tools')).status).toBe(403)
    expect((await ada('/api/runs', { q: 'Hi', priority: 1 })).status).toBe(202)
  })

  it('a token of `local` with a role has no more rights than the role', async () => {
    const { url } = await serveTeam({
      cards: [PARROT],
      tokens: [{ token: 'token-of-local-01', role: 'user' }],
    })
    const headers = { authorization: 'Bearer token-of-local-01' }
    expect((await fetch(`${url}/api/runs?principal=*`, { headers })).status).toBe(403)
    expect((await fetch(`${url}/api/runs`, { headers })).status).toBe(200)
  })
})

it('an unknown role in the configuration is an error that names its key', () => {
  const tokens = [{ token: 'token-of-ada-0001', role: 'admin' }]
  expect(() => readServerConfig({ tokens })).toThrowError('server.tokens.0.role')
})
