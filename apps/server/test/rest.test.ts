import { defineAgent, type RunEvent } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'
import { deferred, verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { rawRequest } from './support/raw-request.ts'
import { allEvents } from './support/read-events.ts'
import { leadAndClerk, PARROT, serveTeam } from './support/serve-team.ts'
import { slowAgent } from './support/slow-agent.ts'

const HOUR = { type: 'object', properties: { hour: { type: 'integer' } }, required: ['hour'] } as const

function post(url: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return fetch(url, {
    method: 'POST',
    body: text,
    headers: { 'content-type': 'application/json', ...headers },
  })
}

describe('GET /v1/:agent', () => {
  it(`GET /v1/:agent returns the answer of a run in its own format ${verifies('C74')}`, async () => {
    const { url } = await serveTeam({ cards: [PARROT] })
    const response = await fetch(`${url}/v1/Parrot?q=Good%20morning`)
    expect(await response.text()).toBe('Good morning')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(response.headers.get('troupe-outcome')).toBe('completed')
    expect(response.headers.get('troupe-run-id')).toMatch(/^run_[\w-]{36}$/u)
    expect(response.headers.get('troupe-session-id')).toBe(response.headers.get('troupe-run-id'))
  })

  it(`GET /v1/:agent runs a parent that calls its children, each time in a new session ${verifies('C79')}`, async () => {
    const { url } = await serveTeam(leadAndClerk())
    const ask = async (): Promise<Response> => fetch(`${url}/v1/Lead?q=How%20many`)
    const [first, second] = await Promise.all([ask(), ask()])
    expect([await first.text(), await second.text()]).toEqual(['There are 3.', 'There are 3.'])
    expect(first.headers.get('troupe-session-id')).not.toBe(second.headers.get('troupe-session-id'))
  })

  it('GET /v1/:agent returns the report if the client accepts JSON', async () => {
    const { url } = await serveTeam(leadAndClerk())
    const response = await fetch(`${url}/v1/Lead?q=How%20many`, { headers: { accept: 'application/json' } })
    expect(await response.json()).toMatchObject({
      agent: 'Lead',
      outcome: 'completed',
      output: { format: 'text', text: 'There are 3.' },
      usage: { modelCalls: 3, byAgent: { Lead: { modelCalls: 2 }, Clerk: { modelCalls: 1 } } },
    })
  })

  it('GET /v1/:agent streams the events of the whole run tree if the client accepts an event stream', async () => {
    const { url } = await serveTeam(leadAndClerk())
    const response = await fetch(`${url}/v1/Lead?q=How%20many`, { headers: { accept: 'text/event-stream' } })
    const events = await allEvents(response)
    const told = events.slice(0, -1).map(({ data }) => data as RunEvent)
    expect(told[0]).toMatchObject({ type: 'run-start', agent: 'Lead', seq: 1 })
    expect(new Set(told.map(({ agent }) => agent))).toEqual(new Set(['Lead', 'Clerk']))
    expect(told.at(-1)).toMatchObject({ type: 'run-end', agent: 'Lead', outcome: 'completed' })
    const numbered = events.filter(({ id }) => id !== undefined)
    expect(numbered.map(({ id }) => Number(id))).toEqual(numbered.map((_, index) => index + 1))
    expect(events.at(-1)).toMatchObject({ event: 'report', data: { outcome: 'completed' } })
    expect(response.headers.get('troupe-run-id')).toBe(told[0]?.runId)
  })

  it.each(['cross-site', 'same-site'])(
    'GET /v1/:agent is rejected if a page of another site (%s) links to it',
    async (site) => {
      const { url, store } = await serveTeam({ cards: [PARROT] })
      const response = await fetch(`${url}/v1/Parrot?q=Hi`, { headers: { 'sec-fetch-site': site } })
      expect(response.status).toBe(403)
      expect(await response.json()).toMatchObject({ error: { code: 'request_refused' } })
      expect(await store.roots()).toEqual([])
    },
  )

  it.each([
    ['another site', 'https://evil.example/page'],
    ['another port of this machine', 'http://127.0.0.1:1/page'],
    ['an address that is none', 'here'],
  ])(
    'GET /v1/:agent is rejected if a browser without Sec-Fetch-Site sends a page of %s as Referer',
    async (_, referer) => {
      const { url, store } = await serveTeam({ cards: [PARROT] })
      const response = await rawRequest(`${url}/v1/Parrot?q=Hi`, { headers: { referer } })
      expect(response.status).toBe(403)
      expect(JSON.parse(response.body)).toMatchObject({ error: { code: 'request_refused' } })
      expect(await store.roots()).toEqual([])
    },
  )

  it('GET /v1/:agent is accepted if Referer is a page of the server or of an allowed origin', async () => {
    const { url } = await serveTeam({ cards: [PARROT], allowedOrigins: ['https://agents.example.com'] })
    for (const referer of [`${url}/`, 'https://agents.example.com/team?q=1']) {
      const { status, body } = await rawRequest(`${url}/v1/Parrot?q=Hi`, { headers: { referer } })
      expect([status, body]).toEqual([200, 'Hi'])
    }
    const headers = { referer: 'https://agents.example.com/', host: 'agents.example.com' }
    expect((await rawRequest(`${url}/v1/Parrot?q=Hi`, { headers })).status).toBe(200)
  })

  it('GET /v1/:agent is accepted from a script of an allowed origin', async () => {
    const origin = 'https://agents.example.com'
    const { url } = await serveTeam({ cards: [PARROT], allowedOrigins: [origin] })
    const headers = { origin, 'sec-fetch-site': 'cross-site' }
    const { status, body } = await rawRequest(`${url}/v1/Parrot?q=Hi`, { headers })
    expect([status, body]).toEqual([200, 'Hi'])
    const other = await rawRequest(`${url}/v1/Parrot?q=Hi`, {
      headers: { ...headers, origin: 'https://evil.example' },
    })
    expect(other.status).toBe(403)
  })

  it('HEAD and other methods of /v1/:agent do not start a run', async () => {
    const { url, store } = await serveTeam({ cards: [PARROT] })
    for (const method of ['HEAD', 'PUT', 'DELETE', 'OPTIONS']) {
      const response = await fetch(`${url}/v1/Parrot?q=Hi`, { method })
      expect(response.status).toBe(405)
      expect(response.headers.get('allow')).toBe('GET, POST')
    }
    expect(await store.roots()).toEqual([])
  })
})

describe('POST /v1/:agent', () => {
  it('POST /v1/:agent accepts a message, or an input object that is checked against the schema of the agent', async () => {
    const typed = defineAgent({
      name: 'Typed',
      description: 'Wants a city.',
      instruction: 'Repeat.',
      model: 'passthrough',
      input: { schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } },
    })
    const { url } = await serveTeam({ cards: [PARROT, typed] })
    expect(await (await post(`${url}/v1/Parrot`, { q: 'Hi' })).text()).toBe('Hi')
    expect(await (await post(`${url}/v1/Typed`, { input: { city: 'Rome' } })).text()).toBe('Rome')
    const refused = await post(`${url}/v1/Typed`, { input: { town: 'Rome' } })
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({ error: { code: 'input_invalid', class: 'config' } })
  })

  it.each([
    ['nothing', '', 'request_invalid'],
    ['no JSON', '{"q":', 'request_invalid'],
    ['a list', '[]', 'request_invalid'],
    ['no message', '{}', 'request_invalid'],
    ['two messages', '{"q":"a","input":"b"}', 'request_invalid'],
    ['a key it does not know', '{"q":"a","formt":"text"}', 'request_invalid'],
    ['a key twice', '{"q":"a","q":"b"}', 'request_invalid'],
    ['a key twice, written differently', String.raw`{"q":"a","\u0071":"b"}`, 'request_invalid'],
    ['a key that would get lost', '{"input":{"__proto__":{"a":1},"b":2}}', 'request_invalid'],
    ['a nesting without end', `{"q":"a","input":${'['.repeat(5000)}`, 'request_invalid'],
    ['a format there is not', '{"q":"a","format":"xml"}', 'request_invalid'],
  ])('POST /v1/:agent rejects a body with %s', async (_, body, code) => {
    const { url, store } = await serveTeam({ cards: [PARROT] })
    const response = await post(`${url}/v1/Parrot`, body)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: { class: 'config', code, message: expect.any(String), remediation: expect.any(String) },
    })
    expect(await store.roots()).toEqual([])
  })

  it('POST /v1/:agent rejects bytes that are not UTF-8 and other media types', async () => {
    const { url } = await serveTeam({ cards: [PARROT] })
    const bytes = new Uint8Array([123, 34, 113, 34, 58, 34, 255, 34, 125])
    const headers = { 'content-type': 'application/json' }
    const garbled = await fetch(`${url}/v1/Parrot`, { method: 'POST', body: bytes, headers })
    expect(garbled.status).toBe(400)
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
    ]) {
      const response = await post(`${url}/v1/Parrot`, '{"q":"a"}', { 'content-type': type })
      expect(response.status).toBe(415)
      expect(await response.json()).toMatchObject({ error: { code: 'request_media_type' } })
    }
  })

  it.each([
    ['text/plain', 'hello'],
    ['application/json', 'hello'],
    ['application/json', '{"m": "hello"}'],
  ])(
    'POST /v1/:agent describes the body that it expects if it gets another one: %s %s',
    async (type, body) => {
      const { url } = await serveTeam({ cards: [PARROT] })
      const response = await post(`${url}/v1/Parrot`, body, { 'content-type': type })
      const remediation: unknown = expect.stringContaining(
        'such as {"q": …}; other fields are input, format,',
      )
      expect(await response.json()).toMatchObject({ error: { remediation } })
    },
  )

  it('POST /v1/:agent only knows served agents', async () => {
    const hidden = defineAgent({
      name: 'Hidden',
      description: 'h',
      instruction: 'h',
      model: 'passthrough',
      hidden: true,
    })
    const other = defineAgent({ name: 'Other', description: 'o', instruction: 'o', model: 'passthrough' })
    const { url } = await serveTeam({ cards: [PARROT, hidden, other], agents: ['Parrot', 'Hidden'] })
    for (const name of ['Nobody', 'Hidden', 'Other', '__proto__', '..%2Fapi']) {
      const response = await post(`${url}/v1/${name}`, { q: 'Hi' })
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({
        error: { code: 'agent_unknown', remediation: 'Use one of the served agents.' },
      })
    }
  })

  it('a required query parameter that is not sent is reported as missing', async () => {
    const { url } = await serveTeam({ cards: [PARROT] })
    const response = await fetch(`${url}/v1/Parrot`)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { message: 'q is missing' } })
  })
})

describe('answer format (R12)', () => {
  const hourAgent = defineAgent({
    name: 'Hour',
    description: 'Tells the hour.',
    instruction: 'Tell it.',
    model: 'test/hour',
    output: { format: 'json', schema: HOUR },
  })
  const models = () => ({ hour: scriptedModel(() => ({ text: '{"hour":5,"zone":"Rome"}' })) })

  it(`JSON answers need a schema, of the agent or of the caller ${verifies('C75', 'R12')}`, async () => {
    const { url } = await serveTeam({ cards: [PARROT, hourAgent], models: models() })
    const missing = await fetch(`${url}/v1/Parrot?q=Hi&format=json`)
    expect(missing.status).toBe(400)
    expect(await missing.json()).toMatchObject({ error: { code: 'missing_schema' } })
    const own = await fetch(`${url}/v1/Hour?q=Hi&format=json`)
    expect(own.headers.get('content-type')).toBe('application/json')
    expect(await own.json()).toEqual({ hour: 5, zone: 'Rome' })
  })

  it('the schema of the caller overrides that of the agent', async () => {
    const strict = { ...HOUR, additionalProperties: false }
    const { url } = await serveTeam({ cards: [hourAgent], models: models() })
    const response = await post(`${url}/v1/Hour`, { q: 'Hi', format: 'json', schema: strict })
    expect(response.status).toBe(502)
    expect(await response.json()).toMatchObject({ error: { class: 'model', code: 'output_schema_mismatch' } })
  })

  it('an invalid schema is rejected', async () => {
    const { url } = await serveTeam({ cards: [PARROT] })
    for (const schema of ['{"type":"nothing"}', '7', '{']) {
      const response = await fetch(`${url}/v1/Parrot?q=Hi&format=json&schema=${encodeURIComponent(schema)}`)
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ error: { code: 'invalid_schema' } })
    }
    const text = await post(`${url}/v1/Parrot`, { q: 'Hi', format: 'text', schema: HOUR })
    expect(await text.json()).toMatchObject({ error: { code: 'invalid_schema' } })
  })
})

it('a stream of a run that cannot start is an error with its status', async () => {
  const slow = slowAgent()
  const { url } = await serveTeam({ ...slow, limits: { maxRuns: 1, maxQueue: 0 } })
  const first = fetch(`${url}/v1/Slow?q=Hi`)
  await slow.begun
  const headers = { accept: 'text/event-stream' }
  const refused = await fetch(`${url}/v1/Slow?q=Hi`, { headers })
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
  expect(await refused.json()).toMatchObject({ error: { code: 'server_busy' } })
  slow.answer()
  await (await first).text()
})

it('a stream of a queued run opens before the run starts', async () => {
  const slow = slowAgent()
  const { url } = await serveTeam({ ...slow, limits: { maxRuns: 1 } })
  const first = fetch(`${url}/v1/Slow?q=Hi`)
  await slow.begun
  const waiting = await fetch(`${url}/v1/Slow?q=Hi`, { headers: { accept: 'text/event-stream' } })
  expect(waiting.status).toBe(200)
  slow.answer()
  await (await first).text()
  expect((await allEvents(waiting)).at(-1)).toMatchObject({ event: 'report', data: { outcome: 'completed' } })
})

it.each([
  ['a talk', 'a talk'],
  ['日本', '%E6%97%A5%E6%9C%AC'],
  ['a\nb', 'a%0Ab'],
  [' a', '%20a'],
])('a conversation can have any name, which headers carry encoded: %j', async (name, header) => {
  const { url } = await serveTeam({ cards: [PARROT] })
  const address = `${url}/v1/Parrot?q=Hi&session=${encodeURIComponent(name)}`
  for (const accept of ['*/*', 'application/json', 'text/event-stream']) {
    const response = await fetch(address, { headers: { accept } })
    expect([response.status, response.headers.get('troupe-session-id')]).toEqual([200, header])
    const body = await response.text()
    expect(accept === '*/*' || body.includes(`"sessionId":${JSON.stringify(name)}`)).toBe(true)
  }
})

it.each(['application/json', 'text/event-stream'])(
  'a disconnect cancels the run and its model call (%s)',
  async (accept) => {
    const begun = deferred()
    const stopped = deferred()
    const slow = scriptedModel((_, { options: { abortSignal } }) => {
      begun.resolve()
      abortSignal?.addEventListener('abort', () => stopped.resolve())
      return stopped.promise.then(() => ({ text: 'too late' }))
    })
    const agent = defineAgent({ name: 'Slow', description: 's', instruction: 's', model: 'test/slow' })
    const { url, records } = await serveTeam({ cards: [agent], models: { slow } })
    const leave = new AbortController()
    const asked = fetch(`${url}/v1/Slow`, {
      method: 'POST',
      body: '{"q":"Hi"}',
      signal: leave.signal,
      headers: { accept, 'content-type': 'application/json' },
    }).then((response) => response.text())
    const settled = Promise.allSettled([asked])
    await begun.promise
    leave.abort()
    await stopped.promise
    expect(await settled).toMatchObject([{ status: 'rejected' }])
    await expect.poll(() => records).toMatchObject([{ headend: 'rest', principal: 'local', aborted: true }])
  },
)
