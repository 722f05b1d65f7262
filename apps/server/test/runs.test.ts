import { defineAgent, troupeError, type RunEvent } from '@troupe/schema'
import { createMemoryStore } from '@troupe/store'
import { scriptedModel } from '@troupe/testkit'
import { deferred, verifies } from '@troupe/testkit/internal'
import { SYSTEM_CLOCK } from '@troupe/testkit/teams'
import { describe, expect, it } from 'vitest'
import { allEvents, readEvents } from './support/read-events.ts'
import { sender } from './support/sender.ts'
import { leadAndClerk, PARROT, serveTeam, type ServedTeam, type TeamToServe } from './support/serve-team.ts'

type Fields = Readonly<Record<string, unknown>>

/** Requests JSON from a path of the server. */
function api({ url }: Pick<ServedTeam, 'url'>, headers: Readonly<Record<string, string>> = {}) {
  const ask = async (path: string, body?: unknown) => {
    const response = await fetch(`${url}${path}`, {
      headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      body: (text === '' ? {} : JSON.parse(text)) as Fields,
    }
  }
  return {
    ask,
    start: async (body: unknown): Promise<string> => String((await ask('/api/runs', body)).body['runId']),
    view: async (runId: string): Promise<Fields> => (await ask(`/api/runs/${runId}`)).body,
    follow: (runId: string, after?: number, signal?: AbortSignal): Promise<Response> =>
      fetch(`${url}/api/runs/${runId}/events`, {
        headers: {
          accept: 'text/event-stream',
          ...headers,
          ...(after === undefined ? {} : { 'last-event-id': String(after) }),
        },
        ...(signal === undefined ? {} : { signal }),
      }),
  }
}

/** Returns an agent whose model waits for `goOn`. */
function slowAgent(): TeamToServe & { readonly begun: Promise<void>; readonly goOn: () => void } {
  const begun = deferred()
  const gate = deferred()
  const slow = scriptedModel(() => {
    begun.resolve()
    return { text: ['one ', 'two ', 'three'], wait: gate.promise }
  })
  const agent = defineAgent({ name: 'Slow', description: 's', instruction: 's', model: 'test/slow' })
  return { cards: [agent, PARROT], models: { slow }, begun: begun.promise, goOn: () => gate.resolve() }
}

/** An agent with a tool that sends something and needs approval. */
describe('POST /api/runs', () => {
  it('POST /api/runs starts a run that does not depend on a connection', async () => {
    const team = await serveTeam(leadAndClerk())
    const { ask, view } = api(team)
    const { status, headers, body } = await ask('/api/runs', { q: 'How many?' })
    expect(status).toBe(202)
    const runId = String(body['runId'])
    expect(headers.get('location')).toBe(`/api/runs/${runId}`)
    await expect
      .poll(() => view(runId))
      .toMatchObject({
        runId,
        agent: 'Lead',
        state: 'completed',
        input: 'How many?',
        sessionId: runId,
        output: { format: 'text', text: 'There are 3.' },
        usage: { modelCalls: 3, byAgent: { Clerk: { modelCalls: 1 } } },
        approvals: [],
      })
  })

  it(`POST /api/runs limits the run to a budget ${verifies('C70')}`, async () => {
    const team = await serveTeam(leadAndClerk())
    const { start, view } = api(team)
    const runId = await start({ q: 'How many?', budget: { maxTokens: 1 } })
    await expect
      .poll(() => view(runId))
      .toMatchObject({ state: 'budget', error: { code: 'budget_exceeded' } })
  })

  it('POST /api/runs accepts a timeout with a unit and rejects an invalid duration', async () => {
    const { ask, start, view } = api(await serveTeam(slowAgent()))
    const runId = await start({ q: 'Hi', timeout: '0.05s' })
    await expect
      .poll(() => view(runId))
      .toMatchObject({
        state: 'timeout',
        error: { code: 'run_timeout', message: expect.stringContaining('50 ms') },
      })
    for (const timeout of ['soon', '0s', 0, -1])
      expect(await ask('/api/runs', { q: 'Hi', timeout })).toMatchObject({
        status: 400,
        body: { error: { code: 'request_invalid', message: expect.stringContaining('timeout') } },
      })
  })

  it(`a retried run has the same budget ${verifies('C70')}`, async () => {
    const { ask, start, view } = api(await serveTeam({ cards: [PARROT] }))
    const first = await start({ q: 'Hi', budget: { maxTokens: 1 }, timeout: 60_000 })
    await expect.poll(() => view(first)).toMatchObject({ state: 'budget' })
    for (let runId = first, times = 0; times < 2; times += 1) {
      runId = String((await ask(`/api/runs/${runId}/retry`, {})).body['runId'])
      await expect
        .poll(() => view(runId))
        .toMatchObject({ state: 'budget', error: { code: 'budget_exceeded' } })
    }
  })

  it('POST /api/runs stores the priority of the run, and a retried run has the same', async () => {
    const team = await serveTeam({ cards: [PARROT] })
    const { ask, start, view } = api(team)
    const first = await start({ q: 'Hi', priority: 1 })
    await expect.poll(() => view(first)).toMatchObject({ state: 'completed' })
    const again = String((await ask(`/api/runs/${first}/retry`, {})).body['runId'])
    for (const runId of [first, again])
      expect((await team.store.steps(runId, runId)).get('queued')).toMatchObject({ priority: 1 })
  })

  it('a principal other than the operator can only give its runs a lower priority than the default', async () => {
    const token = 'token-of-ada-12345'
    const team = await serveTeam({ cards: [PARROT], tokens: [{ token, principal: 'ada' }] })
    const { ask } = api(team, { authorization: `Bearer ${token}` })
    expect(await ask('/api/runs', { q: 'Hi', priority: 99 })).toMatchObject({
      status: 400,
      body: { error: { code: 'request_invalid', message: expect.stringContaining('below 100') } },
    })
    expect(await team.store.roots()).toEqual([])
    for (const priority of [100, 1000])
      expect(await ask('/api/runs', { q: 'Hi', priority })).toMatchObject({ status: 202 })
  })

  it('a run uses the model of `GET /api/models` that it names, also when it is retried', async () => {
    const served = leadAndClerk()
    const quick = scriptedModel(() => ({ text: 'Quick.' }))
    const hostOptions = { config: { models: { quick: 'test/quick' } } }
    const team = await serveTeam({ ...served, models: { ...served.models, quick }, hostOptions })
    const { ask, start, view } = api(team)
    expect((await ask('/api/models')).body).toEqual({
      models: [{ id: 'quick', means: ['test/quick'] }, { id: 'test/lead' }, { id: 'test/clerk' }],
    })
    const runId = await start({ q: 'How many?', model: 'quick' })
    const answer = { state: 'completed', model: 'quick', output: { text: 'Quick.' } }
    await expect.poll(() => view(runId)).toMatchObject(answer)
    const again = String((await ask(`/api/runs/${runId}/retry`, {})).body['runId'])
    await expect.poll(() => view(again)).toMatchObject({ ...answer, retryOf: runId })
  })

  it.each([
    [{ q: 'a', model: 'openai/anything' }, 400, 'model_unknown'],
    [{ agent: 'Nobody', q: 'Hi' }, 404, 'agent_unknown'],
    [{ agent: 'Parrot' }, 400, 'request_invalid'],
    [{ q: 'a', input: 'b' }, 400, 'request_invalid'],
    [{ q: 'a', budget: { maxCost: -1 } }, 400, 'request_invalid'],
    [{ q: 'a', priority: 0 }, 400, 'request_invalid'],
    [{ q: 'a', priority: 1001 }, 400, 'request_invalid'],
    [{ q: 'a', priority: 1.5 }, 400, 'request_invalid'],
    [{ q: 'a', format: 'json' }, 400, 'missing_schema'],
  ])('POST /api/runs rejects %j', async (wish, status, code) => {
    const team = await serveTeam({ cards: [PARROT] })
    const answer = await api(team).ask('/api/runs', wish)
    expect(answer).toMatchObject({ status, body: { error: { code } } })
    expect(await team.store.roots()).toEqual([])
  })

  it('GET /api/runs lists a run that is damaged in the store beside the others', async () => {
    const store = createMemoryStore({ clock: SYSTEM_CLOCK })
    const damaged = new Set<string>()
    const events: typeof store.events = (runId, range) => {
      if (damaged.has(runId)) throw troupeError('store_corrupt', `The run ${runId} is damaged.`)
      return store.events(runId, range)
    }
    const team = await serveTeam({ cards: [PARROT], store: { ...store, events } })
    const { ask, start, view } = api(team)
    const ids = [await start({ q: 'a' }), await start({ q: 'b' })]
    for (const runId of ids) await expect.poll(() => view(runId)).toMatchObject({ state: 'completed' })
    damaged.add(ids[0] ?? '')
    const { body } = await ask('/api/runs')
    expect(body).toMatchObject({
      runs: [
        { runId: ids[1], state: 'completed' },
        { runId: ids[0], state: 'damaged' },
      ],
    })
    expect(await view(ids[0] ?? '')).toMatchObject({ error: { code: 'store_corrupt' } })
  })

  it('GET /api/runs lists runs, newest first', async () => {
    const team = await serveTeam({ cards: [PARROT] })
    const { ask, start, view } = api(team)
    for (const q of ['a', 'b', 'c']) {
      const runId = await start({ q })
      await expect.poll(() => view(runId)).toMatchObject({ state: 'completed' })
    }
    const { body } = await ask('/api/runs?limit=2')
    expect(body).toMatchObject({
      runs: [{ input: 'c', agent: 'Parrot', state: 'completed' }, { input: 'b' }],
    })
    expect((body['runs'] as readonly unknown[]).length).toBe(2)
  })
})

describe('GET /api/runs/:id/events', () => {
  it(`the events of a run are streamed live until it ends, each durable event once and numbered ${verifies('C68')}`, async () => {
    const slow = slowAgent()
    const team = await serveTeam(slow)
    const { start, follow } = api(team)
    const runId = await start({ agent: 'Slow', q: 'Go' })
    await slow.begun
    const response = await follow(runId)
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    slow.goOn()
    const events = await allEvents(response)
    const kept = events.filter(({ id }) => id !== undefined)
    expect(kept.map(({ id }) => Number(id))).toEqual(kept.map((_, index) => index + 1))
    expect(events.at(-1)?.data).toMatchObject({ type: 'run-end', outcome: 'completed' })
    const deltas = events.flatMap(({ data }) => {
      const event = data as RunEvent
      return event.type === 'text-delta' ? [event.text] : []
    })
    expect(deltas).toEqual(['one ', 'two ', 'three'])
  })

  it('the event stream continues after the last event of a disconnected client', async () => {
    const slow = slowAgent()
    const team = await serveTeam(slow)
    const { start, follow } = api(team)
    const runId = await start({ agent: 'Slow', q: 'Go' })
    await slow.begun
    const cut = new AbortController()
    const seen: number[] = []
    for await (const { id } of readEvents(await follow(runId, undefined, cut.signal))) {
      if (id !== undefined) seen.push(Number(id))
      if (seen.length === 2) break
    }
    cut.abort()
    slow.goOn()
    const rest = await allEvents(await follow(runId, seen.at(-1)))
    const all = [...seen, ...rest.flatMap(({ id }) => (id === undefined ? [] : [Number(id)]))]
    expect(all).toEqual(all.map((_, index) => index + 1))
    expect(rest.at(-1)?.data).toMatchObject({ type: 'run-end' })
    expect((await follow(runId, all.length)).status).toBe(204)
  })

  it('the event stream ends with the run for a client with a position beyond the end', async () => {
    const slow = slowAgent()
    const { start, follow } = api(await serveTeam(slow))
    const runId = await start({ agent: 'Slow', q: 'Hi' })
    await slow.begun
    const following = await follow(runId, 99_999)
    slow.goOn()
    const events = await allEvents(following)
    expect(events.at(-1)?.data).toMatchObject({ type: 'run-end', outcome: 'completed' })
  })

  it('the events of a run can be read in pages', async () => {
    const team = await serveTeam(leadAndClerk())
    const { ask, start, view } = api(team)
    const runId = await start({ q: 'How many?' })
    await expect.poll(() => view(runId)).toMatchObject({ state: 'completed' })
    const { body } = await ask(`/api/runs/${runId}/events?after=2&limit=3`)
    expect((body['events'] as readonly RunEvent[]).map(({ seq }) => seq)).toEqual([3, 4, 5])
    expect(body['lastSeq']).toBeGreaterThan(5)
  })

  it('the events of a run that depends on a connection can be streamed too', async () => {
    const slow = slowAgent()
    const team = await serveTeam(slow)
    const asked = fetch(`${team.url}/v1/Slow?q=Go`)
    await slow.begun
    const [root] = await team.store.roots()
    const response = await api(team).follow(root?.rootRunId ?? '')
    slow.goOn()
    expect((await allEvents(response)).at(-1)?.data).toMatchObject({ type: 'run-end' })
    await (await asked).text()
  })
})

describe('run control', () => {
  it(`stop ends a run permanently, even if its client has disconnected ${verifies('C70')}`, async () => {
    const slow = slowAgent()
    const team = await serveTeam(slow)
    const { ask, start, follow } = api(team)
    const runId = await start({ agent: 'Slow', q: 'Go' })
    await slow.begun
    const following = follow(runId)
    const { status, body } = await ask(`/api/runs/${runId}/stop`, {})
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { state: 'cancelled', error: { code: 'run_cancelled' } },
    })
    const events = await allEvents(await following)
    expect(events.at(-1)?.data).toMatchObject({ type: 'run-end', outcome: 'cancelled' })
    expect((await ask(`/api/runs/${runId}/stop`, {})).body).toMatchObject({ state: 'cancelled' })
  })

  it('retry repeats a run as a new run', async () => {
    const team = await serveTeam({ cards: [PARROT] })
    const { ask, start, view } = api(team)
    const runId = await start({ q: 'Hi' })
    await expect.poll(() => view(runId)).toMatchObject({ state: 'completed' })
    const { status, body } = await ask(`/api/runs/${runId}/retry`, {})
    expect(status).toBe(202)
    expect(body['runId']).not.toBe(runId)
    await expect
      .poll(() => view(String(body['runId'])))
      .toMatchObject({ state: 'completed', input: 'Hi', output: { text: 'Hi' } })
  })

  it.each([
    ['approved', ['"Ada"'], 'completed'],
    ['denied', [], 'completed'],
  ] as const)(
    'a call that needs approval waits, and its run continues when it is %s',
    async (decision, sent, state) => {
      const office = sender()
      const team = await serveTeam(office)
      const { ask, start, view, follow } = api(team)
      const runId = await start({ q: 'Send' })
      await expect.poll(() => view(runId)).toMatchObject({ state: 'waiting' })
      const { approvals } = (await view(runId)) as {
        readonly approvals: readonly { readonly approvalId: string }[]
      }
      expect(approvals).toMatchObject([{ toolName: 'send', args: { to: 'Ada' }, agent: 'Sender' }])
      const following = follow(runId)
      const place = `/api/runs/${runId}/approvals/${encodeURIComponent(approvals[0]?.approvalId ?? '')}`
      expect(await ask(place, { decision })).toMatchObject({ status: 200, body: { decision } })
      const events = await allEvents(await following)
      expect(events.at(-1)?.data).toMatchObject({ type: 'run-end' })
      const seqs = events.flatMap(({ id }) => (id === undefined ? [] : [Number(id)]))
      expect(seqs).toEqual(seqs.map((_, index) => index + 1))
      expect(await view(runId)).toMatchObject({ state, approvals: [] })
      expect(office.sent).toEqual(sent)
      expect(await ask(place, { decision })).toMatchObject({
        status: 404,
        body: { error: { code: 'approval_unknown' } },
      })
    },
  )

  it(`stop ends a run that depends on a connection, and its client gets the outcome ${verifies('C70')}`, async () => {
    const slow = slowAgent()
    const team = await serveTeam(slow)
    const { ask } = api(team)
    const asked = fetch(`${team.url}/v1/Slow?q=Hi`)
    await slow.begun
    const [root] = await team.store.roots()
    const runId = root?.rootRunId ?? ''
    await expect.poll(async () => (await team.store.events(runId)).length).toBeGreaterThan(0)
    await expect(team.host.resume(runId)).rejects.toMatchObject({ code: 'store_locked' })
    expect(await ask(`/api/runs/${runId}/stop`, {})).toMatchObject({
      status: 200,
      body: { state: 'cancelled' },
    })
    const answer = await asked
    expect([answer.status, answer.headers.get('troupe-outcome')]).toEqual([503, 'cancelled'])
    expect(await answer.json()).toMatchObject({ error: { code: 'run_cancelled' } })
    const events = await team.store.events(runId)
    expect(events.filter(({ type }) => type === 'run-end')).toHaveLength(1)
  })

  it('a queued run is listed, and stop ends it and its event streams', async () => {
    const slow = slowAgent()
    const { ask, start, view, follow } = api(await serveTeam({ ...slow, limits: { maxRuns: 1 } }))
    const first = await start({ agent: 'Slow', q: 'Hi' })
    await slow.begun
    const second = await start({ agent: 'Slow', q: 'Hello' })
    const following = await follow(second)
    expect((await ask('/api/runs')).body).toMatchObject({
      runs: [
        { runId: second, state: 'queued', input: 'Hello' },
        { runId: first, state: 'running', input: 'Hi' },
      ],
    })
    const stopped = await ask(`/api/runs/${second}/stop`, {})
    expect(stopped).toMatchObject({
      status: 200,
      body: { runId: second, state: 'cancelled', error: { code: 'run_cancelled' } },
    })
    const told = await allEvents(following)
    expect(told.map(({ data }) => (data as RunEvent).type)).toEqual(['run-start', 'run-end'])
    expect(await view(second)).toMatchObject({ state: 'cancelled', usage: { modelCalls: 0 } })
    slow.goOn()
    await expect.poll(() => view(first)).toMatchObject({ state: 'completed' })
  })

  it('a run of an agent with `store: none` can be watched, and nothing of it is stored', async () => {
    const { cards, ...slow } = slowAgent()
    const unkept = cards.map((card) =>
      typeof card === 'string' ? card : { ...card, store: 'none' as const },
    )
    const { store, ...team } = await serveTeam({ ...slow, cards: unkept })
    const { ask, start, view, follow } = api(team)
    const runId = await start({ agent: 'Slow', q: 'Hi' })
    await slow.begun
    expect(await view(runId)).toMatchObject({ state: 'running', input: 'Hi' })
    const following = await follow(runId)
    slow.goOn()
    const events = await allEvents(following)
    expect(events.flatMap(({ id }) => (id === undefined ? [] : [Number(id)]))).toEqual([1, 2, 3, 4, 5])
    expect(events.at(-1)?.data).toMatchObject({ type: 'run-end', outcome: 'completed' })
    expect(await view(runId)).toMatchObject({ state: 'completed', output: { text: 'one two three' } })
    expect(await allEvents(await follow(runId, 4))).toMatchObject([{ data: { type: 'run-end' } }])
    expect(await ask(`/api/runs/${runId}/retry`, {})).toMatchObject({ status: 409 })
    expect(await store.roots()).toEqual([])
  })

  it.each([
    ['its own budget', { budget: { maxTokens: 1500 } }, {}],
    ['that of the server', {}, { limits: { budget: { maxTokens: 1500 } } }],
  ])(
    `a run with a timeout of %s continues after it has waited ${verifies('C70')}`,
    async (_, wish, options) => {
      const team = await serveTeam({ ...sender({ receipt: 'x'.repeat(5000) }), ...options })
      const { ask, start, view } = api(team)
      const runId = await start({ q: 'Send', ...wish })
      await expect.poll(() => view(runId)).toMatchObject({ state: 'waiting' })
      await ask(`/api/runs/${runId}/approvals/${encodeURIComponent(`${runId}:1.1#1`)}`, {
        decision: 'approved',
      })
      await expect
        .poll(() => view(runId))
        .toMatchObject({ state: 'budget', error: { code: 'budget_exceeded' }, approvals: [] })
    },
  )

  it('stop ends a run that is waiting', async () => {
    const office = sender()
    const team = await serveTeam(office)
    const { ask, start, view } = api(team)
    const runId = await start({ q: 'Send' })
    await expect.poll(() => view(runId)).toMatchObject({ state: 'waiting' })
    expect((await ask(`/api/runs/${runId}/stop`, {})).body).toMatchObject({ state: 'cancelled' })
    expect(office.sent).toEqual([])
  })

  it.each(['', '/events', '/stop', '/retry', '/approvals/a'])(
    'run control returns 404 for an unknown run: %s',
    async (path) => {
      const team = await serveTeam({ cards: [PARROT] })
      const isGet = path === '' || path === '/events'
      const answer = await api(team).ask(
        `/api/runs/run_none${path}`,
        isGet ? undefined : { decision: 'approved' },
      )
      expect(answer).toMatchObject({ status: 404, body: { error: { code: 'run_unknown' } } })
    },
  )
})

it('a run is headless if no person can answer its approvals', async () => {
  const office = sender()
  const team = await serveTeam(office)
  const response = await fetch(`${team.url}/v1/Sender?q=Send`)
  expect(await response.text()).toContain('Done.')
  expect(office.sent).toEqual([])
})

it('GET /api/agents describes the agents, their children, variables and permissions', async () => {
  const team = await serveTeam(leadAndClerk())
  const { body } = await api(team).ask('/api/agents')
  expect(body).toMatchObject({
    agents: [
      {
        name: 'Lead',
        entry: true,
        children: ['Clerk'],
        tools: [{ name: 'agent__Clerk', permission: 'allow' }],
      },
      { name: 'Clerk', entry: false, description: 'Counts.' },
    ],
  })
})
