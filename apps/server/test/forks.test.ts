import { describe, expect, it } from 'vitest'
import { leadAndClerk, serveTeam, type ServedTeam } from './support/serve-team.ts'

interface Told {
  readonly status: number
  readonly body: {
    readonly runId: string
    readonly state?: string
    readonly error?: { readonly code: string }
  }
}

async function send({ url }: ServedTeam, path: string, body: unknown, token?: string): Promise<Told> {
  const answer = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  })
  return { status: answer.status, body: (await answer.json()) as Told['body'] }
}

describe('a fork of a run', () => {
  it('is a new run that takes over what came before', async () => {
    const team = await serveTeam(leadAndClerk())
    const first = await send(team, '/v1/Lead', { q: 'How many?' })
    const fork = await send(team, `/api/runs/${first.body.runId}/fork`, { at: '2' })
    expect(fork.status).toBe(202)
    expect(fork.body.runId).not.toBe(first.body.runId)
    const stream = await fetch(`${team.url}/api/runs/${fork.body.runId}/events`, {
      headers: { accept: 'text/event-stream' },
    })
    const events = await stream.text()
    expect(events).toContain('"agent":"Clerk"')
    expect(events.match(/"type":"run-end"/gu)).toHaveLength(2)
  })

  it('is refused at a step that is not there, and of a run that is not there', async () => {
    const team = await serveTeam(leadAndClerk())
    const first = await send(team, '/v1/Lead', { q: 'How many?' })
    const nowhere = await send(team, `/api/runs/${first.body.runId}/fork`, { at: '9.9/1' })
    expect([nowhere.status, nowhere.body.error?.code]).toEqual([400, 'run_step_unknown'])
    const unknown = await send(team, '/api/runs/run_none/fork', { at: '1' })
    expect([unknown.status, unknown.body.error?.code]).toEqual([404, 'run_unknown'])
  })

  it('is only for whose run it is', async () => {
    const tokens = [
      { token: 'the-token-of-ada', principal: 'ada' },
      { token: 'the-token-of-bob', principal: 'bob' },
    ]
    const team = await serveTeam({ ...leadAndClerk(), tokens })
    const first = await send(team, '/v1/Lead', { q: 'How many?' }, 'the-token-of-ada')
    const path = `/api/runs/${first.body.runId}/fork`
    expect((await send(team, path, { at: '2' }, 'the-token-of-bob')).status).toBe(404)
    expect((await send(team, path, { at: '2' }, 'the-token-of-ada')).status).toBe(202)
  })
})
