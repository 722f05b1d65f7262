import { defineAgent } from '@troupe/schema'
import { startFakeOpenAI, type FakeAnswer } from '@troupe/testkit'
import { tempProject } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connectMcp } from './support/connect-mcp.ts'
import { allEvents } from './support/read-events.ts'
import { serveTeam, type ServedTeam } from './support/serve-team.ts'

const ADA = 'token-of-ada-0001'
const KEY = 'sk-the-key-of-acme-1234'
const SAID = 'organisation org-acme'

const ONE = defineAgent({
  name: 'One',
  description: 'Answers.',
  instruction: 'Answer.',
  model: 'openai/gpt-private-7',
  limits: { maxRetries: 0 },
})

/** Answers of the provider of the agent. */
const UPSTREAM = {
  'rate limit': {
    status: 429,
    message: `Rate limit of ${SAID}`,
    code: 'rate_limit_exceeded',
    headers: { 'retry-after': '20' },
  },
  overload: { status: 503, message: `Overloaded: ${SAID}` },
  'overload as 529': { status: 529, message: `Overloaded: ${SAID}` },
  'used-up quota': { status: 429, message: SAID, code: 'insufficient_quota' },
  'wrong key': { status: 401, message: `Incorrect key of ${SAID}`, code: 'invalid_api_key' },
  'long conversation': {
    status: 400,
    message: `Maximum context length of ${SAID}`,
    code: 'context_length_exceeded',
  },
  'filtered prompt': { status: 400, message: `Filtered for ${SAID}`, code: 'content_filter' },
  'filtered answer': { text: 'Once upon', finish: 'content-filter' },
} as const satisfies Readonly<Record<string, FakeAnswer>>

type Upstream = keyof typeof UPSTREAM

/** A response as a client reads it. */
interface Answer {
  readonly status: number
  readonly retryAfter: string | null
  readonly text: string
  /** Data of the event that ends the answer, or the body. */
  readonly end: unknown
}

interface Protocol {
  readonly path: string
  readonly body: object
  readonly accept?: string
  /** Returns true for the event that ends the answer. Default: the last event. */
  isEnd?(data: Readonly<Record<string, unknown>>): boolean
}

async function serveFailing(upstream: FakeAnswer): Promise<ServedTeam> {
  const provider = await startFakeOpenAI({ answers: () => upstream })
  onTestFinished(() => provider.close())
  const project = await tempProject({
    'troupe.json': JSON.stringify({ providers: { openai: { apiKey: KEY, baseURL: provider.baseURL } } }),
  })
  onTestFinished(() => project.remove())
  return serveTeam({
    cards: [ONE],
    tokens: [{ token: ADA, principal: 'ada' }],
    hostOptions: { config: `${project.path}/troupe.json` },
  })
}

async function ask({ url }: ServedTeam, { path, body, accept, isEnd }: Protocol): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${ADA}`,
      'content-type': 'application/json',
      'a2a-version': '1.0',
      ...(accept === undefined ? {} : { accept }),
    },
    body: JSON.stringify(body),
  })
  const { status, headers } = response
  const seen = { status, retryAfter: headers.get('retry-after') }
  if (headers.get('content-type')?.startsWith('text/event-stream') !== true) {
    const text = await response.text()
    return { ...seen, text, end: JSON.parse(text) }
  }
  const events = (await allEvents(response)).map(({ data }) => data).filter((data) => data !== '[DONE]')
  const end = isEnd === undefined ? events.at(-1) : events.find((data) => isEnd(data as never))
  return { ...seen, text: JSON.stringify(events), end }
}

const SSE = 'text/event-stream'
const messages = [{ role: 'user', content: 'Hi' }]
const chat = { model: 'One', messages }
const anthropic = { ...chat, max_tokens: 99 }
const message = { messageId: '1', role: 'ROLE_USER', parts: [{ text: 'Hi' }] }
const rpc = (method: string): object => ({ jsonrpc: '2.0', id: 1, method, params: { message } })
const agui = { threadId: 't', runId: 'r', messages: [{ id: '1', ...messages[0] }] }
const ui = {
  id: 'c',
  agent: 'One',
  messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }],
}

const CHAT: Protocol = { path: '/openai/v1/chat/completions', body: chat }
const RESPONSES: Protocol = { path: '/openai/v1/responses', body: { model: 'One', input: 'Hi' } }
const MESSAGES: Protocol = { path: '/anthropic/v1/messages', body: anthropic }
const A2A: Protocol = { path: '/a2a/One', body: rpc('SendMessage') }
const REST: Protocol = { path: '/v1/One', body: { q: 'Hi' } }

const streamed = (protocol: Protocol, more: Partial<Protocol> = {}): Protocol => ({
  ...protocol,
  body: { ...protocol.body, stream: true },
  ...more,
})
const CHAT_STREAM = streamed(CHAT)
const RESPONSES_STREAM = streamed(RESPONSES)
const MESSAGES_STREAM = streamed(MESSAGES, {
  isEnd: ({ type }) => type === 'error' || type === 'message_delta',
})
const A2A_STREAM: Protocol = { path: '/a2a/One', body: rpc('SendStreamingMessage'), accept: SSE }
const AGUI: Protocol = { path: '/agui/One', body: agui, accept: SSE }
const REST_REPORT: Protocol = { ...REST, accept: 'application/json' }
const REST_STREAM: Protocol = { ...REST, accept: SSE }
const UI: Protocol = {
  path: '/api/chat',
  body: ui,
  isEnd: ({ type, finishReason }) =>
    type === 'error' || (type === 'finish' && finishReason === 'content-filter'),
}

/** Answer of one protocol to each failure: its status, unless it is a stream, and its end. */
type Row = Readonly<Record<Upstream, readonly [status: number, end: object]>>

const openAIError = (type: string, code: string): object => ({ error: { type, code } })
const CHAT_ROW: Row = {
  'rate limit': [429, openAIError('rate_limit_error', 'rate_limit_exceeded')],
  overload: [503, openAIError('server_error', 'server_is_overloaded')],
  'overload as 529': [503, openAIError('server_error', 'server_is_overloaded')],
  'used-up quota': [429, openAIError('insufficient_quota', 'insufficient_quota')],
  'wrong key': [502, openAIError('server_error', 'model_auth')],
  'long conversation': [400, openAIError('invalid_request_error', 'context_length_exceeded')],
  'filtered prompt': [200, { choices: [{ finish_reason: 'content_filter' }] }],
  'filtered answer': [200, { choices: [{ finish_reason: 'content_filter' }] }],
}
const responseError = (code: string): object => ({
  type: 'response.failed',
  response: { status: 'failed', error: { code } },
})
const FILTERED_RESPONSE = { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }
const RESPONSES_ROW: Row = {
  ...CHAT_ROW,
  'filtered prompt': [200, FILTERED_RESPONSE],
  'filtered answer': [200, FILTERED_RESPONSE],
}
const incomplete = { type: 'response.incomplete', response: FILTERED_RESPONSE }
const RESPONSES_STREAM_ROW: Row = {
  'rate limit': [200, responseError('rate_limit_exceeded')],
  overload: [200, responseError('server_is_overloaded')],
  'overload as 529': [200, responseError('server_is_overloaded')],
  'used-up quota': [200, responseError('insufficient_quota')],
  'wrong key': [200, responseError('server_error')],
  'long conversation': [200, responseError('context_length_exceeded')],
  'filtered prompt': [200, incomplete],
  'filtered answer': [200, incomplete],
}
const anthropicError = (type: string): object => ({ type: 'error', error: { type } })
const refusal = { stop_reason: 'refusal', stop_details: { type: 'refusal' } }
const MESSAGES_ROW: Row = {
  'rate limit': [429, anthropicError('rate_limit_error')],
  overload: [529, anthropicError('overloaded_error')],
  'overload as 529': [529, anthropicError('overloaded_error')],
  'used-up quota': [429, anthropicError('rate_limit_error')],
  'wrong key': [502, anthropicError('api_error')],
  'long conversation': [
    400,
    {
      type: 'error',
      error: { type: 'invalid_request_error', message: expect.stringMatching(/^prompt is too long: /u) },
    },
  ],
  'filtered prompt': [200, refusal],
  'filtered answer': [200, refusal],
}
const MESSAGES_STREAM_ROW: Row = {
  ...MESSAGES_ROW,
  'filtered prompt': [200, { type: 'message_delta', delta: refusal }],
  'filtered answer': [200, { type: 'message_delta', delta: refusal }],
}

/** Builds the row of a protocol that passes on the codes of Troupe. */
const rowOf = (status: (code: string) => number, end: (code: string) => object): Row => {
  const cell = (code: string): Row[Upstream] => [status(code), end(code)]
  return {
    'rate limit': cell('model_rate_limited'),
    overload: cell('model_overloaded'),
    'overload as 529': cell('model_overloaded'),
    'used-up quota': cell('model_quota_exceeded'),
    'wrong key': cell('model_auth'),
    'long conversation': cell('context_overflow'),
    'filtered prompt': cell('model_refused'),
    'filtered answer': cell('model_refused'),
  }
}
const always200 = (): number => 200
const taskState = (code: string): object => ({
  state: code === 'model_refused' ? 'TASK_STATE_REJECTED' : 'TASK_STATE_FAILED',
  message: { parts: [{}, { data: { code } }] },
})
const A2A_ROW = rowOf(always200, (code) => ({ result: { task: { status: taskState(code) } } }))
const A2A_STREAM_ROW = rowOf(always200, (code) => ({
  result: { statusUpdate: { status: taskState(code) } },
}))
const AGUI_ROW = rowOf(always200, (code) => ({ type: 'RUN_ERROR', code }))
const restStatus = (code: string): number => (code === 'model_quota_exceeded' ? 429 : 502)
const REST_ROW = rowOf(restStatus, (code) => ({ error: { code } }))
const REST_STREAM_ROW = rowOf(always200, (code) => ({ error: { code } }))
const UI_ROW = rowOf(always200, (code) =>
  code === 'model_refused' ? { type: 'finish', finishReason: 'content-filter' } : { type: 'error' },
)

/** Protocols with their answers. */
const PROTOCOLS: readonly (readonly [name: string, protocol: Protocol, row: Row])[] = [
  ['Chat Completions', CHAT, CHAT_ROW],
  ['Chat Completions as a stream', CHAT_STREAM, CHAT_ROW],
  ['Responses', RESPONSES, RESPONSES_ROW],
  ['Responses as a stream', RESPONSES_STREAM, RESPONSES_STREAM_ROW],
  ['Anthropic', MESSAGES, MESSAGES_ROW],
  ['Anthropic as a stream', MESSAGES_STREAM, MESSAGES_STREAM_ROW],
  ['A2A', A2A, A2A_ROW],
  ['A2A as a stream', A2A_STREAM, A2A_STREAM_ROW],
  ['AG-UI', AGUI, AGUI_ROW],
  ['REST', REST, REST_ROW],
  ['REST as a report', REST_REPORT, REST_ROW],
  ['REST as a stream', REST_STREAM, REST_STREAM_ROW],
  ['useChat', UI, UI_ROW],
]

const CELLS = PROTOCOLS.flatMap(([name, protocol, row]) =>
  (Object.keys(UPSTREAM) as Upstream[]).map((upstream) => ({
    name,
    upstream,
    protocol,
    status: row[upstream][0],
    end: row[upstream][1],
  })),
)

function expectPrivate(text: string): void {
  for (const secret of [KEY, SAID, 'org-acme', '127.0.0.1']) expect(text).not.toContain(secret)
}

/** Waits of 20 s, minus the time of the test. */
const SECONDS = /^(?:1\d|20)$/u

describe('failures of a provider', () => {
  it.each(CELLS)(
    '$name reports a $upstream of the provider in its own words, without its text',
    async ({ protocol, upstream, status, end }) => {
      const answer = await ask(await serveFailing(UPSTREAM[upstream]), protocol)
      expect(answer.end).toMatchObject(end)
      const isStream = answer.text.startsWith('[')
      expect(answer.status).toBe(isStream ? 200 : status)
      expectPrivate(answer.text)
    },
  )

  it.each([
    ['Chat Completions', CHAT],
    ['Responses', RESPONSES],
    ['Anthropic', MESSAGES],
    ['REST', REST],
    ['REST as a report', REST_REPORT],
  ] as const)('%s passes on the retry time of the provider as a header', async (_name, protocol) => {
    const answer = await ask(await serveFailing(UPSTREAM['rate limit']), protocol)
    expect(answer.retryAfter).toMatch(SECONDS)
  })

  it.each([
    ['Chat Completions', CHAT_STREAM],
    ['Responses', RESPONSES_STREAM],
    ['Anthropic', MESSAGES_STREAM],
    ['useChat', UI],
  ] as const)(
    '%s passes on the retry time of the provider in the message of a stream',
    async (_name, protocol) => {
      const answer = await ask(await serveFailing(UPSTREAM['rate limit']), protocol)
      expect(JSON.stringify(answer.end)).toMatch(/ Try again in (?:1\d|20)s\./u)
    },
  )

  it.each([
    ['A2A', A2A],
    ['A2A as a stream', A2A_STREAM],
    ['AG-UI', AGUI],
    ['REST as a report', REST_REPORT],
    ['REST as a stream', REST_STREAM],
  ] as const)('%s passes on the retry time of the provider as data', async (_name, protocol) => {
    const answer = await ask(await serveFailing(UPSTREAM['rate limit']), protocol)
    const [, at = '0'] = /"retryAt":(\d+)/u.exec(JSON.stringify(answer.end)) ?? []
    expect(Number(at)).toBeGreaterThan(Date.now())
  })

  it.each(Object.keys(UPSTREAM) as Upstream[])(
    'MCP reports a %s of the provider as a failed result with its code',
    async (upstream) => {
      const client = await connectMcp('modern', await serveFailing(UPSTREAM[upstream]), { token: ADA })
      const result = await client.call({ input: 'Hi', format: 'text' })
      const code = (rowOf(always200, (each) => ({ code: each }))[upstream][1] as { readonly code: string })
        .code
      expect(result).toMatchObject({ isError: true, structuredContent: { code } })
      const hasTime = 'retryAt' in (result.structuredContent as object)
      expect(hasTime).toBe(upstream === 'rate limit')
      expectPrivate(JSON.stringify(result))
    },
  )

  it('a failed run has `x-should-retry: false`, even if the provider names a retry time', async () => {
    const { url } = await serveFailing(UPSTREAM['rate limit'])
    for (const { path, body } of [CHAT, MESSAGES]) {
      const response = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${ADA}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      expect(response.headers.get('x-should-retry')).toBe('false')
      await response.text()
    }
  })

  it('a stored response of a refused answer is incomplete with the reason content_filter', async () => {
    const team = await serveFailing(UPSTREAM['filtered answer'])
    const { end } = await ask(team, RESPONSES)
    const stored = await fetch(`${team.url}/openai/v1/responses/${(end as { readonly id: string }).id}`, {
      headers: { authorization: `Bearer ${ADA}` },
    })
    expect(await stored.json()).toMatchObject(FILTERED_RESPONSE)
  })

  it.each([
    ['refused answer', 'filtered answer', incomplete, FILTERED_RESPONSE],
    [
      'rate limit',
      'rate limit',
      { response: { error: { message: expect.stringMatching(/ Try again in (?:1\d|20)s\.$/u) } } },
      { status: 'failed', error: { code: 'rate_limit_exceeded' } },
    ],
  ] as const)(
    'the stream and the stored state of a background response report a %s',
    async (_name, upstream, end, state) => {
      const team = await serveFailing(UPSTREAM[upstream])
      const background = { ...RESPONSES_STREAM, body: { ...RESPONSES_STREAM.body, background: true } }
      const { end: last } = await ask(team, background)
      expect(last).toMatchObject(end)
      const { id } = (last as { readonly response: { readonly id: string } }).response
      const stored = await fetch(`${team.url}/openai/v1/responses/${id}`, {
        headers: { authorization: `Bearer ${ADA}` },
      })
      expect(await stored.json()).toMatchObject({ ...state, background: true })
    },
  )

  it('text that arrived before a content filter stopped the answer stays in the stream', async () => {
    const answer = await ask(await serveFailing(UPSTREAM['filtered answer']), CHAT_STREAM)
    expect(answer.text).toContain('"content":"Once "')
  })
})
