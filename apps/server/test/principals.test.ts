import { describe, expect, it } from 'vitest'
import { oneAgent } from './support/one-agent.ts'
import { PARROT, serveTeam, type ServedTeam } from './support/serve-team.ts'

const TOKENS = [
  { token: 'token-of-ada-0001', principal: 'ada' },
  { token: 'token-of-ben-0001', principal: 'ben' },
]

function callerOf({ url }: ServedTeam, name: string) {
  return async (
    path: string,
    body?: unknown,
  ): Promise<{ readonly status: number; readonly body: unknown }> => {
    const response = await fetch(`${url}${path}`, {
      headers: {
        authorization: `Bearer token-of-${name}-0001`,
        accept: 'application/json',
        'content-type': 'application/json',
      },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
    return { status: response.status, body: await response.json() }
  }
}

describe('isolation of principals', () => {
  it.each([
    ['the run', '', undefined],
    ['its events', '/events', undefined],
    ['its stop', '/stop', {}],
    ['its retry', '/retry', {}],
    ['its fork', '/fork', { at: '1' }],
    ['its approvals', '/approvals/a', { decision: 'approved' }],
  ])('a run of one principal does not exist for another one: %s', async (_, path, body) => {
    const team = await serveTeam({ cards: [PARROT], tokens: TOKENS })
    const [ada, ben] = [callerOf(team, 'ada'), callerOf(team, 'ben')]
    const { body: started } = await ada('/api/runs', { q: 'secret' })
    const { runId } = started as { readonly runId: string }
    await expect
      .poll(async () => (await ada(`/api/runs/${runId}`)).body)
      .toMatchObject({ state: 'completed' })
    const unknown = await ben(`/api/runs/run_none${path}`, body)
    const other = await ben(`/api/runs/${runId}${path}`, body)
    expect(other.status).toBe(404)
    expect(JSON.stringify(other.body).replaceAll(runId, 'run_none')).toBe(JSON.stringify(unknown.body))
    expect(await ben('/api/runs')).toEqual({ status: 200, body: { runs: [] } })
  })

  it('the same session name is a different conversation for each principal', async () => {
    const team = await serveTeam({ ...oneAgent((words) => ({ text: String(words.length) })), tokens: TOKENS })
    const [ada, ben] = [callerOf(team, 'ada'), callerOf(team, 'ben')]
    const say = { q: 'Hi', session: 'ours' }
    expect((await ada('/v1/One', say)).body).toMatchObject({ output: { text: '2' }, sessionId: 'ours' })
    expect((await ada('/v1/One', say)).body).toMatchObject({ output: { text: '4' } })
    expect((await ben('/v1/One', say)).body).toMatchObject({ output: { text: '2' } })
  })
})

it('a conversation continues by the name that its caller gives it, over every protocol', async () => {
  const team = await serveTeam(oneAgent((words) => ({ text: words.slice(1).join('; ') })))
  const say = async (q: string): Promise<string> =>
    (await fetch(`${team.url}/v1/One?session=thread-7&q=${q}`)).text()
  expect(await say('a')).toBe('user: a')
  expect(await say('b')).toBe('user: a; assistant: user: a; user: b')
})
