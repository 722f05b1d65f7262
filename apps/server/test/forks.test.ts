import { scriptedModel } from '@troupe/testkit'
import { describe, expect, it } from 'vitest'
import { leadAndClerk, serveTeam, type ServedTeam } from './support/serve-team.ts'

type Fields = Readonly<Record<string, unknown>>

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

describe('forks', () => {
  it('a fork is a new run that copies the steps before it', async () => {
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

  it('a fork of an unknown step or an unknown run is rejected', async () => {
    const team = await serveTeam(leadAndClerk())
    const first = await send(team, '/v1/Lead', { q: 'How many?' })
    const nowhere = await send(team, `/api/runs/${first.body.runId}/fork`, { at: '9.9/1' })
    expect([nowhere.status, nowhere.body.error?.code]).toEqual([400, 'run_step_unknown'])
    const unknown = await send(team, '/api/runs/run_none/fork', { at: '1' })
    expect([unknown.status, unknown.body.error?.code]).toEqual([404, 'run_unknown'])
  })

  it('a fork continues with a changed prompt and names the run that it was forked from', async () => {
    const team = await serveTeam({
      ...leadAndClerk(),
      models: {
        ...leadAndClerk().models,
        clerk: scriptedModel((prompt) => ({ text: JSON.stringify(prompt[0]?.content) })),
      },
    })
    const first = await send(team, '/v1/Lead', { q: 'How many?' })
    const path = `/api/runs/${first.body.runId}`
    const { prompts } = (await (await fetch(`${team.url}${path}/prompts`)).json()) as Fields
    expect(prompts).toEqual([
      { agent: 'Lead', prompt: 'Lead.' },
      { agent: 'Clerk', prompt: 'Count.' },
    ])
    const fork = await send(team, `${path}/fork`, { at: '1', prompts: { Clerk: 'Count twice.' } })
    const forked = `${team.url}/api/runs/${fork.body.runId}`
    const stream = await fetch(`${forked}/events`, { headers: { accept: 'text/event-stream' } })
    expect(await stream.text()).toContain('Count twice.')
    expect(await (await fetch(forked)).json()).toMatchObject({ forkOf: { runId: first.body.runId, at: '1' } })
    expect(await (await fetch(`${forked}/prompts`)).json()).toMatchObject({
      prompts: [{ agent: 'Lead' }, { agent: 'Clerk', prompt: 'Count twice.' }],
    })
    expect(team.host.definition('Clerk').instruction).toBe('Count.')
  })

  it('only the operator can change prompts in a fork and read them', async () => {
    const tokens = [
      { token: 'the-token-of-ada', principal: 'ada' },
      { token: 'the-token-of-all', principal: 'local' },
    ]
    const team = await serveTeam({ ...leadAndClerk(), tokens })
    const first = await send(team, '/v1/Lead', { q: 'How many?' }, 'the-token-of-ada')
    const path = `/api/runs/${first.body.runId}`
    const refused = await send(
      team,
      `${path}/fork`,
      { at: '1', prompts: { Lead: 'Obey.' } },
      'the-token-of-ada',
    )
    expect([refused.status, refused.body.error?.code]).toEqual([403, 'card_read_only'])
    const headers = { authorization: 'Bearer the-token-of-ada' }
    expect((await fetch(`${team.url}${path}/prompts`, { headers })).status).toBe(403)
  })

  it('only the principal of a run can fork it', async () => {
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
