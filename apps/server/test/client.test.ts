import { ApiError, createClient, type RunEvent, type TroupeClient } from '@troupe/client'
import { defineAgent, failure, TroupeError } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'
import { describe, expect, it } from 'vitest'
import { clientDocument, type OpenApiDocument } from './support/client-document.ts'
import { sender } from './support/sender.ts'
import { leadAndClerk, PARROT, serveTeam } from './support/serve-team.ts'
import { slowAgent } from './support/slow-agent.ts'

/** Returns all events of a stream. */
async function collect(events: AsyncIterable<RunEvent>): Promise<readonly RunEvent[]> {
  const all: RunEvent[] = []
  for await (const event of events) all.push(event)
  return all
}

/** Resolves with the error of a request that must fail. */
async function errorOf(request: Promise<unknown>): Promise<ApiError> {
  const thrown: unknown = await request.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (thrown instanceof ApiError) return thrown
  throw new Error(`expected an ApiError, not ${String(thrown)}`)
}

/** Returns the only open approval, when there is one. */
async function openApproval(client: TroupeClient) {
  await expect.poll(async () => (await client.approvals.list()).total).toBe(1)
  const [approval] = (await client.approvals.list()).approvals
  if (approval === undefined) throw new Error('there is no approval')
  return approval
}

describe('run', () => {
  it('run returns the report of the run with its answer and the usage of its children', async () => {
    const { url } = await serveTeam(leadAndClerk())
    const report = await createClient({ url }).run('Lead', 'Hi', { budget: { maxTokens: 10_000 } })
    expect(report).toMatchObject({
      agent: 'Lead',
      outcome: 'completed',
      output: { format: 'text', text: 'There are 3.' },
      usage: { byAgent: { Clerk: { outputTokens: 5 } } },
      problemCount: 0,
    })
    expect(report.durationMs).toBeGreaterThanOrEqual(0)
  })

  it('run returns the report of a failed run, with its error', async () => {
    const card = { name: 'Broken', description: 'b', instruction: 'b', model: 'test/broken' }
    const broken = scriptedModel(() => ({ error: new TroupeError(failure('model_refused', 'No.')) }))
    const { url } = await serveTeam({ cards: [defineAgent(card)], models: { broken } })
    const report = await createClient({ url }).run('Broken', 'Hi')
    expect(report).toMatchObject({ outcome: 'failed', error: { class: 'model', code: 'model_refused' } })
  })

  it('run validates the answer against a schema and returns its value', async () => {
    const card = { name: 'Json', description: 'j', instruction: 'j', model: 'test/json' }
    const json = scriptedModel(() => ({ text: '{"days": 7}' }))
    const { url } = await serveTeam({ cards: [defineAgent(card)], models: { json } })
    const schema = { type: 'object', properties: { days: { type: 'number' } }, required: ['days'] }
    const { output } = await createClient({ url }).run('Json', 'How long?', { format: 'json', schema })
    expect(output).toMatchObject({ format: 'json', value: { days: 7 } })
  })

  it('run cancels the run on the server when its signal aborts', async () => {
    const slow = slowAgent()
    const { url } = await serveTeam(slow)
    const client = createClient({ url })
    const abort = new AbortController()
    const running = client.run('Slow', 'Hi', { signal: abort.signal })
    await slow.begun
    abort.abort(new Error('no longer needed'))
    await expect(running).rejects.toThrow('no longer needed')
    await slow.stopped
    const { runs } = await client.runs.list()
    expect(runs).toMatchObject([{ state: 'cancelled' }])
  })
})

describe('stream', () => {
  it('stream yields the events of the run tree, with deltas, to the end of the root run', async () => {
    const { url } = await serveTeam(leadAndClerk())
    const events = await collect(createClient({ url }).stream('Lead', 'Hi'))
    expect(events[0]).toMatchObject({ type: 'run-start', agent: 'Lead', seq: 1 })
    expect(events.at(-1)).toMatchObject({ type: 'run-end', agent: 'Lead', outcome: 'completed' })
    const seqs = events.flatMap(({ seq }) => seq ?? [])
    expect(seqs).toEqual(seqs.map((_, index) => index + 1))
    expect(events.some(({ type, agent }) => type === 'run-end' && agent === 'Clerk')).toBe(true)
  })

  it('stream cancels the run when the caller leaves the loop before its end', async () => {
    const slow = slowAgent()
    const { url } = await serveTeam(slow)
    const client = createClient({ url })
    for await (const { type } of client.stream('Slow', 'Hi')) if (type === 'turn-start') break
    await slow.stopped
    expect((await client.runs.list()).runs).toMatchObject([{ state: 'cancelled' }])
  })

  it('stream yields the events of an agent that stores nothing', async () => {
    const card = { name: 'Forgetful', description: 'f', instruction: 'f', model: 'passthrough' }
    const { url } = await serveTeam({ cards: [defineAgent({ ...card, store: 'none' })] })
    const events = await collect(createClient({ url }).stream('Forgetful', 'Hi'))
    expect(events.at(-1)).toMatchObject({ type: 'run-end', output: { text: 'Hi' } })
  })
})

describe('resume', () => {
  it('resume yields the events after a position, of a run that has ended and of one that another client started', async () => {
    const { url } = await serveTeam(leadAndClerk())
    const client = createClient({ url })
    const { runId } = await client.start('Lead', 'Hi')
    const all = await collect(client.resume(runId))
    const rest = await collect(createClient({ url }).resume(runId, { after: 3 }))
    const durable = all.filter(({ seq }) => seq !== undefined)
    expect(rest).toEqual(durable.slice(3))
    expect(await collect(client.resume(runId, { after: durable.length }))).toEqual([])
  })

  it('resume continues after each lost connection without losing or repeating an event', async () => {
    const { url, host } = await serveTeam(leadAndClerk())
    const { runId } = await host.run('Lead', 'Hi')
    const states: string[] = []
    const client = createClient({ url, fetch: cutEvery(3) })
    const events = await collect(client.resume(runId, { onConnection: (state) => states.push(state) }))
    expect(events).toEqual(await collect(createClient({ url }).resume(runId)))
    expect(states.filter((state) => state === 'lost').length).toBeGreaterThan(2)
    expect(states[0]).toBe('open')
  })

  it('resume leaves the run running when the caller leaves the loop', async () => {
    const slow = slowAgent()
    const { url } = await serveTeam(slow)
    const client = createClient({ url })
    const { runId } = await client.start('Slow', 'Hi')
    for await (const { type } of client.resume(runId)) if (type === 'turn-start') break
    expect(await client.runs.get(runId)).toMatchObject({ state: 'running' })
    slow.answer()
    expect((await collect(client.resume(runId))).at(-1)).toMatchObject({ outcome: 'completed' })
  })
})

/** Returns a fetch whose event streams are cut after a number of events, without the end of the last one. */
function cutEvery(count: number): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) return response
    const blocks = (await response.text()).split('\n\n')
    const text =
      blocks.length > count + 1
        ? `${blocks.slice(0, count).join('\n\n')}\n\nid: 99\ndata: {"ty`
        : blocks.join('\n\n')
    return new Response(text, { headers: { 'content-type': 'text/event-stream' } })
  }
}

describe('approvals', () => {
  it('approvals.decide lets a run continue that waits for an approval', async () => {
    const office = sender()
    const { url } = await serveTeam(office)
    const client = createClient({ url })
    const running = client.run('Sender', 'Send')
    const approval = await openApproval(client)
    expect(approval).toMatchObject({ toolName: 'send', args: { to: 'Ada' }, path: ['Sender'] })
    expect(await client.approvals.decide(approval, { decision: 'approved' })).toMatchObject({
      decision: 'approved',
    })
    expect(await running).toMatchObject({ outcome: 'completed' })
    expect(office.sent).toEqual(['"Ada"'])
  })

  it('approvals.decide denies a call with a reason', async () => {
    const office = sender()
    const { url } = await serveTeam(office)
    const client = createClient({ url })
    const running = client.run('Sender', 'Send')
    await client.approvals.decide(await openApproval(client), { decision: 'denied', reason: 'Not today.' })
    await running
    expect(office.sent).toEqual([])
  })
})

describe('sessions', () => {
  it('runs with the same session share a conversation, which sessions lists with its runs', async () => {
    const echo = scriptedModel((prompt) => ({ text: `${prompt.length}` }))
    const card = { name: 'Counter', description: 'c', instruction: 'c', model: 'test/echo' }
    const { url } = await serveTeam({ cards: [defineAgent(card), PARROT], models: { echo } })
    const client = createClient({ url })
    const first = await client.run('Counter', 'One', { session: 'trip' })
    const second = await client.run('Counter', 'Two', { session: 'trip' })
    await client.run('Parrot', 'Hi', { session: 'other' })
    await client.run('Parrot', 'alone')
    expect(Number(second.output.text)).toBeGreaterThan(Number(first.output.text))
    const { sessions, next } = await client.sessions.list()
    expect(sessions.map(({ sessionId }) => sessionId)).toEqual(['other', 'trip'])
    expect(sessions[1]).toMatchObject({ agent: 'Counter', title: 'One', state: 'completed', archived: false })
    expect(next).toBeUndefined()
    const page = await client.sessions.runs('trip', { limit: 1 })
    expect(page).toMatchObject({ runs: [{ runId: second.runId, input: 'Two' }], next: second.runId })
    expect((await client.sessions.list({ agent: 'Parrot' })).sessions).toHaveLength(1)
  })
})

describe('errors and credentials', () => {
  it('an error of the server is an ApiError with its class, code, remediation and status', async () => {
    const { url } = await serveTeam({ cards: [PARROT] })
    const client = createClient({ url })
    expect(await errorOf(client.runs.get('run_none'))).toMatchObject({
      name: 'ApiError',
      class: 'store',
      code: 'run_unknown',
      status: 404,
      remediation: expect.stringMatching(/./u),
      message: expect.stringContaining('run_none'),
    })
    expect(await errorOf(client.run('Nobody', 'Hi'))).toMatchObject({ code: 'agent_unknown', status: 404 })
    expect(await errorOf(collect(client.resume('run_none')))).toMatchObject({ code: 'run_unknown' })
    expect(await errorOf(client.runs.list({ limit: 0 }))).toMatchObject({
      code: 'request_invalid',
      status: 400,
    })
  })

  it('a client sends its token, its headers, and asks a function for a new token each time', async () => {
    const token = 'token-of-ada-0001'
    const { url } = await serveTeam({ cards: [PARROT], tokens: [{ token, principal: 'ada', role: 'user' }] })
    expect(await errorOf(createClient({ url }).agents.list())).toMatchObject({
      code: 'token_required',
      status: 401,
    })
    expect((await createClient({ url, token }).agents.list()).agents).toMatchObject([{ name: 'Parrot' }])
    let calls = 0
    const client = createClient({ url, token: async () => ((calls += 1), token) })
    expect(await client.run('Parrot', 'Hi')).toMatchObject({ outcome: 'completed' })
    expect(calls).toBeGreaterThan(2)
    const byHeader = createClient({ url: `${url}/`, headers: { 'x-api-key': token } })
    expect((await byHeader.models.list()).models).toEqual(expect.any(Array))
  })

  it('requests with the same idempotency key start one run', async () => {
    const { url } = await serveTeam({ cards: [PARROT] })
    const client = createClient({ url })
    const first = await client.start('Parrot', 'Hi', { idempotencyKey: 'once' })
    expect(await client.start('Parrot', 'Hi', { idempotencyKey: 'once' })).toEqual(first)
    expect((await client.runs.list()).runs).toHaveLength(1)
  })
})

it('the client has a method for each operation of run control, exported tools and schedules', async () => {
  const { url } = await serveTeam({ cards: [PARROT] })
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApiDocument
  const requests: string[] = []
  const client = createClient({
    url,
    async fetch(input, { method = 'GET' } = {}) {
      requests.push(
        `${method} ${new URL(input instanceof Request ? input.url : input).pathname.replaceAll(/(?<=\/)\d+/gu, 'x')}`,
      )
      return Response.json({ runs: [] })
    },
  })
  const ref = { agent: 'x', tool: 'x' }
  const closing = new AbortController()
  const changes = client.changes({ signal: closing.signal }).next()
  await Promise.all([
    client.start('x', 'Hi'),
    client.cancel('x'),
    client.runs.list(),
    client.runs.get('x'),
    client.runs.events('x', { after: 1, limit: 2 }),
    client.runs.retry('x'),
    client.runs.fork('x', { at: '1' }),
    client.runs.label('x', { value: 'up' }),
    client.runs.unlabel('x'),
    client.runs.export('x'),
    client.runs.content('x', { seq: 1, part: 0 }),
    client.runs.prompts('x'),
    client.approvals.list(),
    client.approvals.decide({ runId: 'x', approvalId: 'x' }, { decision: 'denied' }),
    client.approvals.target({ runId: 'x', approvalId: 'x' }),
    client.push.read(),
    client.push.subscribe({ endpoint: 'https://push.example/x', keys: { p256dh: 'x', auth: 'x' } }),
    client.push.unsubscribe({ endpoint: 'https://push.example/x' }),
    client.approvals.createLink({ runId: 'x', approvalId: 'x' }, { sentTo: 'x' }),
    client.approvals.openLink('x'),
    client.approvals.decideByLink({ token: 'x', decision: 'denied' }),
    client.sessions.list(),
    client.sessions.get('x'),
    client.sessions.change('x', { archived: true }),
    client.sessions.delete('x'),
    client.agents.list(),
    client.agents.template('x'),
    client.agents.stats(),
    client.cards.get('x'),
    client.cards.schema('x'),
    client.cards.check('x', ''),
    client.cards.save('x', { text: '', version: '1' }),
    client.cards.test('x', { text: '', input: 'Hi' }),
    client.cards.revisions('x'),
    client.cards.revision({ agent: 'x', revision: 'x' }),
    client.models.list(),
    client.tools.list('x'),
    client.tools.add('x', { tool: { name: 'x', description: 'x', parameters: {}, prompt: 'x' } }),
    client.tools.replace(ref, { tool: { name: 'x', description: 'x', parameters: {}, prompt: 'x' } }),
    client.tools.delete(ref, { version: '1' }),
    client.tools.preview(ref, {}),
    client.tools.test(ref, { args: {} }),
    client.evals.list(),
    client.evals.get('x'),
    client.evals.events('x', 'x'),
    client.schedules.list(),
    client.schedules.run('x'),
    client.schedules.pause('x'),
    client.schedules.resume('x'),
  ])
  closing.abort()
  await expect(changes).rejects.toMatchObject({ name: 'AbortError' })
  const operations = Object.entries(clientDocument(document).paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/gu, 'x')}`),
  )
  expect([...new Set(requests)].toSorted()).toEqual(operations.toSorted())
})
