import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Validator } from '@seriousme/openapi-schema-validator'
import { defineAgent, failure, TroupeError } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import type { OpenApiDocument, OpenApiOperation } from './support/client-document.ts'
import { leadAndClerk, PARROT, serveTeam, type ServedTeam, type TeamToServe } from './support/serve-team.ts'

async function documentOf({ url }: Pick<ServedTeam, 'url'>): Promise<OpenApiDocument> {
  return (await (await fetch(`${url}/openapi.json`)).json()) as OpenApiDocument
}

/** Finds the operation of a path and a method. */
function find({ paths }: OpenApiDocument, method: string, path: string): OpenApiOperation | undefined {
  const words = path.split('/')
  const matching = Object.entries(paths).filter(([pattern]) => {
    const parts = pattern.split('/')
    return (
      parts.length === words.length && parts.every((part, at) => part.startsWith('{') || part === words[at])
    )
  })
  const [exact] = matching.toSorted(([a], [b]) => a.split('{').length - b.split('{').length)
  return exact?.[1][method.toLowerCase()]
}

/** Returns the differences between an answer and the document. */
async function problemsOf(
  document: OpenApiDocument,
  method: string,
  path: string,
  response: Response,
): Promise<string> {
  const operation = find(document, method, path)
  const named = operation?.responses[String(response.status)]
  const described =
    named !== undefined && '$ref' in named
      ? document.components.responses[named.$ref.replace('#/components/responses/', '')]
      : named
  if (described === undefined) return `${response.status} is not documented: ${await response.text()}`
  const [type = ''] = (response.headers.get('content-type') ?? '').split(';')
  const text = await response.text()
  if (described.content === undefined) return text === '' ? '' : 'there is content'
  const media = described.content[type]
  if (media === undefined) return `${type} is not documented`
  if (type !== 'application/json') return ''
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  // the components are in the same document, for references
  const schema = { ...media.schema, components: document.components }
  return ajv.validate(schema, JSON.parse(text)) ? '' : ajv.errorsText()
}

const office = (): TeamToServe => {
  const team = leadAndClerk()
  const broken = defineAgent({ name: 'Broken', description: 'b', instruction: 'b', model: 'test/broken' })
  const model = scriptedModel(() => ({ error: new TroupeError(failure('model_refused', 'No.')) }))
  return { cards: [...team.cards, broken, PARROT], models: { ...team.models, broken: model } }
}

const JSON_BODY = { 'content-type': 'application/json' }
const HI = [{ role: 'user', content: 'Hi' }]

const A2A_MESSAGE = { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'Hi' }] }
const a2a = (method: string): object => ({ jsonrpc: '2.0', id: 1, method, params: { message: A2A_MESSAGE } })

const REQUESTS: readonly (readonly [
  method: string,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>>,
])[] = [
  ['GET', '/healthz', undefined, {}],
  ['GET', '/readyz', undefined, {}],
  ['GET', '/metrics', undefined, {}],
  ['GET', '/v1/Lead?q=Hi', undefined, {}],
  ['GET', '/v1/Lead?q=Hi', undefined, { accept: 'application/json' }],
  ['GET', '/v1/Lead?q=Hi', undefined, { accept: 'text/event-stream' }],
  ['GET', '/v1/Lead', undefined, {}],
  ['GET', '/v1/Nobody?q=Hi', undefined, {}],
  ['GET', '/v1/Broken?q=Hi', undefined, {}],
  ['GET', '/v1/Broken?q=Hi', undefined, { accept: 'application/json' }],
  ['GET', '/v1/Lead?q=Hi', undefined, { 'sec-fetch-site': 'cross-site' }],
  ['GET', '/v1/Lead?q=Hi', undefined, { origin: 'http://evil.example' }],
  ['POST', '/v1/Lead', { q: 'Hi' }, JSON_BODY],
  ['POST', '/v1/Lead', { q: 7 }, JSON_BODY],
  ['POST', '/v1/Lead', { q: 'Hi' }, { 'content-type': 'text/plain' }],
  ['POST', '/v1/Lead', { q: 'x'.repeat(2_000_000) }, JSON_BODY],
  ['GET', '/api/agents', undefined, {}],
  ['GET', '/api/runs', undefined, {}],
  ['GET', '/api/runs?limit=x', undefined, {}],
  ['GET', '/api/runs?limit=1&agent=Lead&state=completed,failed&q=hi', undefined, {}],
  ['GET', '/api/runs?agnet=Lead', undefined, {}],
  ['GET', '/api/approvals', undefined, {}],
  ['GET', '/api/approvals?agent=Lead', undefined, {}],
  ['POST', '/api/runs', { q: 'Hi' }, JSON_BODY],
  ['POST', '/api/runs', { agent: 'Nobody', q: 'Hi' }, JSON_BODY],
  ['GET', '/api/runs/run_none', undefined, {}],
  ['GET', '/api/runs/run_none/events', undefined, {}],
  ['POST', '/api/runs/run_none/stop', {}, JSON_BODY],
  ['POST', '/api/runs/run_none/retry', {}, JSON_BODY],
  ['POST', '/api/runs/run_none/approvals/a', { decision: 'approved' }, JSON_BODY],
  ['POST', '/api/runs/run_none/approvals/a', { decision: 'maybe' }, JSON_BODY],
  ['GET', '/openai/v1/models', undefined, {}],
  ['GET', '/openai/v1/models/Lead', undefined, {}],
  ['GET', '/openai/v1/models/gpt', undefined, {}],
  ['POST', '/openai/v1/chat/completions', { model: 'Lead', messages: HI }, JSON_BODY],
  ['POST', '/openai/v1/chat/completions', { model: 'Lead', messages: HI, stream: true }, JSON_BODY],
  ['POST', '/openai/v1/chat/completions', { model: 'Broken', messages: HI }, JSON_BODY],
  ['POST', '/openai/v1/chat/completions', { model: 'Lead' }, JSON_BODY],
  ['POST', '/openai/v1/responses', { model: 'Lead', input: 'Hi' }, JSON_BODY],
  ['POST', '/openai/v1/responses', { model: 'Lead', input: 'Hi', previous_response_id: 'x' }, JSON_BODY],
  ['POST', '/openai/v1/responses', { model: 'Lead', input: 'Hi', background: true }, JSON_BODY],
  ['POST', '/openai/v1/responses', { model: 'Lead', input: 'Hi', background: true, store: false }, JSON_BODY],
  ['POST', '/openai/v1/responses/input_tokens', { model: 'Lead', input: 'Hi' }, JSON_BODY],
  ['POST', '/openai/v1/embeddings', { model: 'openai/none', input: 'Hi' }, JSON_BODY],
  ['POST', '/openai/v1/embeddings', { model: 'openai/none', input: [] }, JSON_BODY],
  ['POST', '/openai/v1/conversations', { metadata: { a: 'b' } }, JSON_BODY],
  ['POST', '/openai/v1/conversations', { items: [1] }, JSON_BODY],
  ['GET', '/openai/v1/conversations/x', undefined, {}],
  ['POST', '/openai/v1/conversations/x', { metadata: {} }, JSON_BODY],
  ['DELETE', '/openai/v1/conversations/x', undefined, {}],
  ['GET', '/openai/v1/conversations/x/items?limit=0', undefined, {}],
  ['GET', '/openai/v1/conversations/x/items/y', undefined, {}],
  ['POST', '/openai/v1/responses', { model: 'Lead', input: 'Hi', conversation: 'x' }, JSON_BODY],
  ['GET', '/openai/v1/responses/x', undefined, {}],
  ['GET', '/openai/v1/responses/x?stream=maybe', undefined, {}],
  ['DELETE', '/openai/v1/responses/x', undefined, {}],
  ['POST', '/openai/v1/responses/x/cancel', {}, JSON_BODY],
  ['GET', '/openai/v1/responses/x/input_items', undefined, {}],
  ['GET', '/openai/v1/responses/x/input_items?limit=0', undefined, {}],
  ['GET', '/api/chat/none/stream', undefined, {}],
  ['GET', '/.well-known/agent-card.json', undefined, {}],
  ['GET', '/a2a/Lead/.well-known/agent-card.json', undefined, {}],
  ['GET', '/a2a/Nobody/.well-known/agent-card.json', undefined, {}],
  ['POST', '/a2a/Lead', a2a('message/send'), JSON_BODY],
  ['POST', '/a2a/Lead', a2a('message/stream'), JSON_BODY],
  ['POST', '/a2a/Lead', a2a('nothing'), JSON_BODY],
  ['POST', '/a2a/Lead', [], JSON_BODY],
  ['POST', '/a2a/Nobody', a2a('message/send'), JSON_BODY],
  ['POST', '/agui/Lead', { threadId: 't', runId: 'r', messages: [{ id: '1', ...HI[0] }] }, JSON_BODY],
  ['POST', '/agui/Lead', { threadId: 't' }, JSON_BODY],
  ['POST', '/agui/Nobody', { threadId: 't', runId: 'r', messages: HI }, JSON_BODY],
  [
    'POST',
    '/api/chat',
    { id: 'c', messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }] },
    JSON_BODY,
  ],
  ['POST', '/api/chat', { id: 'c', messages: [] }, JSON_BODY],
  ['POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, JSON_BODY],
  ['POST', '/mcp/agents/Lead', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, JSON_BODY],
  ['POST', '/mcp/agents/Nobody', {}, JSON_BODY],
  ['GET', '/anthropic/v1/models', undefined, {}],
  ['GET', '/anthropic/v1/models/Lead', undefined, {}],
  ['POST', '/anthropic/v1/messages', { model: 'Lead', max_tokens: 9, messages: HI }, JSON_BODY],
  ['POST', '/anthropic/v1/messages', { model: 'Lead', messages: HI }, JSON_BODY],
  ['POST', '/anthropic/v1/messages', { model: 'Broken', max_tokens: 9, messages: HI }, JSON_BODY],
  ['POST', '/anthropic/v1/messages/count_tokens', { model: 'Lead', messages: HI }, JSON_BODY],
]

describe('the OpenAPI document', () => {
  it('the OpenAPI document is valid and names each operation once', async () => {
    const document = await documentOf(await serveTeam(office()))
    expect(document.openapi).toMatch(/^3\.2\./u)
    const result = await new Validator().validate(structuredClone(document) as never)
    expect(result).toEqual({ valid: true })
    const ids = Object.values(document.paths).flatMap((item) =>
      Object.values(item).map((one) => one.operationId),
    )
    expect(new Set(ids).size).toBe(ids.length)
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining([
        '/v1/{agent}',
        '/api/runs',
        '/openai/v1/responses',
        '/anthropic/v1/messages',
        '/healthz',
      ]),
    )
  })

  it('the OpenAPI document passes the recommended rules of a linter', async () => {
    const document = await documentOf(await serveTeam(office()))
    const config = await createConfig({
      extends: ['recommended'],
      // the errors of health checks and of metrics are not described
      rules: { 'operation-4xx-response': 'off' },
    })
    const lint = async (source: object): Promise<readonly string[]> => {
      const problems = await lintFromString({ source: JSON.stringify(source), config })
      return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)
    }
    expect(await lint(document)).toEqual([])
    const { info: _info, ...rest } = document as OpenApiDocument & { readonly info: unknown }
    expect(await lint(rest)).not.toEqual([])
  })

  it('the OpenAPI document has named components and takes less than 200 kB for a team of two agents', async () => {
    const { url } = await serveTeam(leadAndClerk())
    const text = await (await fetch(`${url}/openapi.json`)).text()
    expect(text.length).toBeLessThan(200_000)
    const { components } = JSON.parse(text) as {
      readonly components: Readonly<Record<string, object>>
    }
    for (const name of ['Error', 'RunReport', 'Run', 'StartRunBody', 'RunEvent', 'Agent', 'ToolList'])
      expect(components['schemas']).toHaveProperty([name])
    for (const [, kind = '', name = ''] of text.matchAll(/"#\/components\/(\w+)\/([^"]+)"/gu))
      expect(components[kind]).toHaveProperty([name])
  })

  it('the OpenAPI document has the schema of an event stream as a whole and of each of its events', async () => {
    const { paths } = await documentOf(await serveTeam(leadAndClerk()))
    const streams = Object.values(paths)
      .flatMap((item) => Object.values(item))
      .flatMap(({ responses }) => Object.values(responses))
      .flatMap((response) => ('content' in response ? (response.content?.['text/event-stream'] ?? []) : []))
    expect(streams.length).toBeGreaterThan(5)
    for (const stream of streams)
      expect(stream).toMatchObject({
        schema: expect.any(Object),
        itemSchema: { type: 'object', properties: { data: { type: 'string' } } },
      })
    const event = { $ref: '#/components/schemas/RunEvent' }
    expect(streams).toContainEqual({
      schema: event,
      itemSchema: expect.objectContaining({
        properties: expect.objectContaining({
          data: { type: 'string', contentMediaType: 'application/json', contentSchema: event },
        }),
      }),
    })
  })

  it('the OpenAPI document describes every response, errors included', async () => {
    const team = await serveTeam(office())
    const document = await documentOf(team)
    for (const [method, path, body, headers] of REQUESTS) {
      const init = body === undefined ? {} : { body: JSON.stringify(body) }
      const response = await fetch(`${team.url}${path}`, { method, headers, ...init })
      const [plain = ''] = path.split('?')
      const problem = await problemsOf(document, method, plain, response)
      expect({ method, path, headers, problem }).toEqual({ method, path, headers, problem: '' })
    }
  })

  it('the OpenAPI document describes a run from start to end', async () => {
    const team = await serveTeam(office())
    const document = await documentOf(team)
    const ask = async (method: string, path: string, accept = 'application/json'): Promise<unknown> => {
      const init = method === 'POST' ? { body: '{"q":"Hi"}' } : {}
      const response = await fetch(`${team.url}${path}`, {
        method,
        headers: { ...JSON_BODY, accept },
        ...init,
      })
      const copy = response.clone()
      expect(await problemsOf(document, method, path, response)).toBe('')
      return copy.status === 204 ? undefined : copy.json()
    }
    const { runId } = (await ask('POST', '/api/runs')) as { readonly runId: string }
    await expect.poll(() => ask('GET', `/api/runs/${runId}`)).toMatchObject({ state: 'completed' })
    await ask('GET', '/api/runs')
    await ask('GET', `/api/runs/${runId}/events`)
    await ask('POST', `/api/runs/${runId}/stop`)
  })
})

it('GET /metrics counts responses, runs, tokens and cost', async () => {
  const { url } = await serveTeam(leadAndClerk())
  await (await fetch(`${url}/v1/Lead?q=Hi`)).text()
  await (await fetch(`${url}/v1/Nobody?q=Hi`)).text()
  const read = async (): Promise<string> => (await fetch(`${url}/metrics`)).text()
  await expect.poll(read).toContain('troupe_http_answers_total{headend="rest",method="GET",status="404"} 1')
  const text = await read()
  for (const line of [
    'troupe_http_answers_total{headend="rest",method="GET",status="200"} 1',
    'troupe_runs_total{agent="Lead",outcome="completed"} 1',
    'troupe_tokens_total{agent="Lead",direction="in"} 20',
    'troupe_tokens_total{agent="Clerk",direction="out"} 5',
    'troupe_runs_running 0',
    'troupe_runs_waiting 0',
  ])
    expect(text).toContain(line)
})
