import {
  errorResponse,
  isFailure,
  routes,
  runForCaller,
  type Headend,
  type HeadendContext,
} from '@troupe/headends'
import { describe, expect, it } from 'vitest'
import { PARROT, serveTeam } from './support/serve-team.ts'

function createPlainHeadend(context: HeadendContext): Headend {
  return {
    name: 'plain',
    ...routes(
      {
        '/plain/:agent': {
          POST: async ({ req, env }) => {
            const run = { agent: req.param('agent') ?? '', input: await req.text() }
            const report = await runForCaller(run, { request: req.raw, caller: env.caller }, context)
            return isFailure(report) ? errorResponse(report) : new Response(report.output.text)
          },
        },
      },
      { tag: 'Plain text' },
    ),
    examples: ({ origin, agent }) => [
      { title: 'Plain text', url: `${origin}/plain/${agent}`, command: `curl ${origin}/plain/${agent}` },
    ],
  }
}

const TOKEN = 'a-token-of-this-test'

describe('a headend of the app', () => {
  it('serves agents next to the built-in headends', async () => {
    const { url, server } = await serveTeam({ cards: [PARROT], headends: [createPlainHeadend] })
    const response = await fetch(`${url}/plain/Parrot`, { method: 'POST', body: 'Good morning' })
    expect([response.status, await response.text()]).toEqual([200, 'Good morning'])
    expect((await fetch(`${url}/plain/Nobody`, { method: 'POST', body: '' })).status).toBe(404)
    expect((await fetch(`${url}/v1/Parrot?q=Hello`)).status).toBe(200)
    expect(server.examples.map(({ title }) => title)).toContain('Plain text')
  })

  it('is behind the checks of the server', async () => {
    const { url } = await serveTeam({
      cards: [PARROT],
      tokens: [{ token: TOKEN, principal: 'ada' }],
      headends: [createPlainHeadend],
    })
    const call = (headers: Readonly<Record<string, string>>): Promise<Response> =>
      fetch(`${url}/plain/Parrot`, { method: 'POST', body: 'Hello', headers })
    expect((await call({})).status).toBe(401)
    expect((await call({ authorization: `Bearer ${TOKEN}`, origin: 'https://evil.example' })).status).toBe(
      403,
    )
    expect((await call({ authorization: `Bearer ${TOKEN}` })).status).toBe(200)
  })
})
