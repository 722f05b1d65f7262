import { defineAgent, failure, TroupeError } from '@troupe/schema'
import { createMemoryStore } from '@troupe/store'
import { scriptedModel } from '@troupe/testkit'
import { deferred } from '@troupe/testkit/internal'
import { SYSTEM_CLOCK } from '@troupe/testkit/teams'
import { describe, expect, it } from 'vitest'
import { sender } from './support/sender.ts'
import { PARROT, serveTeam, type ServedTeam } from './support/serve-team.ts'

interface Page {
  readonly runs: readonly { readonly runId: string; readonly input: string; readonly state: string }[]
  readonly next?: string
}

async function get<T = Page>({ url }: ServedTeam, query: string, token?: string): Promise<T> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return (await (await fetch(`${url}/api/runs${query}`, { headers })).json()) as T
}

async function inputs(team: ServedTeam, query: string): Promise<readonly string[]> {
  return (await get(team, query)).runs.map(({ input }) => input)
}

const BROKEN = defineAgent({ name: 'Broken', description: 'b', instruction: 'b', model: 'test/broken' })
const broken = scriptedModel(() => ({ error: new TroupeError(failure('model_refused', 'No.')) }))

describe('GET /api/runs', () => {
  it('GET /api/runs returns every run exactly once over its pages, newest first, even if runs start in between', async () => {
    const team = await serveTeam({ cards: [PARROT] })
    for (const input of ['a', 'b', 'c', 'd', 'e']) await team.host.run('Parrot', input)
    const first = await get(team, '?limit=2')
    expect(first.next).toBe(first.runs[1]?.runId)
    await team.host.run('Parrot', 'f')
    const second = await get(team, `?limit=2&before=${first.next}`)
    const third = await get(team, `?limit=2&before=${second.next}`)
    const found = [first, second, third].map(({ runs }) => runs.map(({ input }) => input))
    expect(found).toEqual([['e', 'd'], ['c', 'b'], ['a']])
    expect('next' in third).toBe(false)
    expect('next' in (await get(team, '?limit=6'))).toBe(false)
  })

  it('GET /api/runs filters by conversation, agent, state and text, and by all of them together', async () => {
    const team = await serveTeam({
      ...sender(),
      cards: [...sender().cards, PARROT, BROKEN],
      models: { ...sender().models, broken },
    })
    const { host } = team
    await host.run('Parrot', 'Count the SHIPS', { sessionId: 'harbour' })
    await host.run('Parrot', 'Count the gulls', { sessionId: 'harbour' })
    await host.run('Broken', 'Count the ships')
    await host.run('Sender', 'Send', { wait: true })
    expect(await inputs(team, '?session=harbour')).toEqual(['Count the gulls', 'Count the SHIPS'])
    expect(await inputs(team, '?agent=Broken')).toEqual(['Count the ships'])
    expect(await inputs(team, '?state=waiting')).toEqual(['Send'])
    expect(await inputs(team, '?state=failed')).toEqual(['Count the ships'])
    expect(await inputs(team, '?state=waiting,failed')).toEqual(['Send', 'Count the ships'])
    expect(await inputs(team, '?state=queued')).toEqual([])
    expect(await inputs(team, '?q=ships')).toEqual(['Count the ships', 'Count the SHIPS'])
    expect(await inputs(team, '?q=sender')).toEqual(['Send'])
    expect(await inputs(team, '?q=count&agent=Parrot&state=completed&session=harbour&limit=1')).toEqual([
      'Count the gulls',
    ])
    const [run] = (await get(team, '?state=waiting')).runs
    expect(await inputs(team, `?q=${run?.runId.toUpperCase()}`)).toEqual(['Send'])
  })

  it('GET /api/runs finds a run and a conversation that are older than 500 others', async () => {
    const store = createMemoryStore({ clock: SYSTEM_CLOCK, maxRoots: 1000 })
    const team = await serveTeam({ cards: [PARROT], store })
    await team.host.run('Parrot', 'Survey the harbour', { sessionId: 'oldest' })
    for (let run = 0; run < 501; run += 1) await team.host.run('Parrot', 'small')
    expect(await inputs(team, '?session=oldest')).toEqual(['Survey the harbour'])
    expect(await inputs(team, '?q=survey')).toEqual(['Survey the harbour'])
    const { next } = await get(team, '?limit=500')
    expect(await inputs(team, `?limit=500&before=${next}`)).toEqual(['small', 'Survey the harbour'])
  })

  it('conversations=true finds a conversation behind 501 runs that were started without one', async () => {
    const store = createMemoryStore({ clock: SYSTEM_CLOCK, maxRoots: 1000 })
    const team = await serveTeam({ cards: [PARROT], store })
    await team.host.run('Parrot', 'Survey the harbour', { sessionId: 'oldest' })
    for (let run = 0; run < 501; run += 1) await team.host.run('Parrot', 'filler')
    expect(await get(team, '?conversations=true&agent=Parrot&limit=200')).toMatchObject({
      runs: [{ input: 'Survey the harbour', sessionId: 'oldest' }],
    })
    expect(await inputs(team, '?conversations=true&q=filler')).toEqual([])
  })

  it('GET /api/runs returns queued runs as any others, the newest first, over as many pages as they take', async () => {
    const gate = deferred()
    const begun = deferred()
    const slow = scriptedModel(() => {
      begun.resolve()
      return { text: 'done', wait: gate.promise }
    })
    const card = defineAgent({ name: 'Slow', description: 's', instruction: 's', model: 'test/slow' })
    const team = await serveTeam({ cards: [card], models: { slow }, limits: { maxRuns: 1 } })
    const start = (q: string): Promise<Response> =>
      fetch(`${team.url}/api/runs`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ q }),
      })
    await start('a')
    await begun.promise
    for (const q of ['b', 'the third', 'd']) await start(q)
    const first = await get(team, '?limit=2')
    const second = await get(team, `?limit=2&before=${first.next}`)
    expect([first, second].map(({ runs }) => runs.map(({ input, state }) => `${input} ${state}`))).toEqual([
      ['d queued', 'the third queued'],
      ['b queued', 'a running'],
    ])
    expect(await inputs(team, '?state=queued&q=THIRD')).toEqual(['the third'])
    gate.resolve()
  })

  it.each([
    [
      'agnet=Lead',
      '"agnet": unknown query parameter',
      'session, conversations, agent, state, q, label, before, limit',
    ],
    ['state=done', 'state: ', 'completed'],
    ['state=completed,', 'state: ', 'completed'],
    ['state=', 'state: ', 'completed'],
    ['limit=0', 'limit: ', 'from 1 to 500'],
    ['limit=501', 'limit: ', 'from 1 to 500'],
    ['limit=1.5', 'limit: ', 'from 1 to 500'],
    ['limit=x', 'limit: ', 'from 1 to 500'],
    ['conversations=yes', 'conversations: ', 'true'],
    ['label=good', 'label: ', 'up` or `down'],
    ['agent=', 'agent: ', ''],
    [`q=${'x'.repeat(201)}`, 'q: ', ''],
    ['agent=A&agent=B', '"agent": the query parameter is given more than once', ''],
    ['before=run_none', 'before: there is no run run_none', 'start again'],
    ['__proto__=x', '"__proto__": unknown query parameter', ''],
  ])(
    'GET /api/runs rejects ?%s with a message that names the parameter and its valid values',
    async (query, message, allowed) => {
      const team = await serveTeam({ cards: [PARROT] })
      const response = await fetch(`${team.url}/api/runs?${query}`)
      expect(response.status).toBe(400)
      const { error } = (await response.json()) as { readonly error: Readonly<Record<string, string>> }
      expect(error).toMatchObject({
        code: 'request_invalid',
        message: expect.stringContaining(message) as string,
      })
      expect(`${error['message']} ${error['remediation']}`).toContain(allowed)
    },
  )

  it('GET /api/runs neither lists runs of another principal nor continues after one of them', async () => {
    const tokens = ['ada', 'ben'].map((principal) => ({ token: `a-long-token-of-${principal}`, principal }))
    const team = await serveTeam({ cards: [PARROT], tokens })
    const { runId } = await team.host.run('Parrot', 'secret', { principal: 'ada', sessionId: 'talk' })
    await team.host.run('Parrot', 'other', { principal: 'ben', sessionId: 'talk' })
    for (const query of ['', '?session=talk', '?agent=Parrot', '?state=completed', '?q=e'])
      expect((await get(team, query, 'a-long-token-of-ben')).runs).toMatchObject([{ input: 'other' }])
    const refused = await get<object>(team, `?before=${runId}`, 'a-long-token-of-ben')
    const unknown = await get<object>(team, '?before=run_none', 'a-long-token-of-ben')
    expect(JSON.stringify(refused).replaceAll(runId, 'run_none')).toBe(JSON.stringify(unknown))
  })
})
