import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startFakeAnthropic, type FakeProvider } from '../src/index.ts'

let fake: FakeProvider
beforeAll(async () => {
  fake = await startFakeAnthropic({
    apiKey: 'key-1',
    answers: () => ({ text: 'hi there', usage: { input: 7, output: 2, cacheRead: 3 } }),
  })
})
afterAll(() => fake.close())

const VERSION = { 'anthropic-version': '2023-06-01' }
const user = { role: 'user', content: [{ type: 'text', text: 'hi' }] }
const asking = (id: string, name = 'tool'): object => ({
  role: 'assistant',
  content: [{ type: 'tool_use', id, name, input: {} }],
})
const result = (id: string): object => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: id, content: 'ok' }],
})
const tool = (name: string, input_schema?: unknown): object => ({ name, input_schema })

async function post(
  body: object,
  headers: Record<string, string> = { 'x-api-key': 'key-1', ...VERSION },
): Promise<{ status: number; text: string }> {
  const response = await fetch(`${fake.baseURL}/messages`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ model: 'claude', max_tokens: 10, messages: [user], ...body }),
  })
  return { status: response.status, text: await response.text() }
}

describe('messages', () => {
  it.each([
    [VERSION, 401, 'x-api-key header is required'],
    [{ 'x-api-key': 'other', ...VERSION }, 401, 'invalid x-api-key'],
    [{ 'x-api-key': 'key-1' }, 400, 'anthropic-version: header is required'],
  ])('the fake Anthropic API rejects the headers %j', async (headers, status, message) => {
    const answer = await post({}, headers)

    expect(answer.status).toBe(status)
    expect(answer.text).toContain(message)
  })

  it.each([
    [{ foo: 1 }, 'foo: Extra inputs are not permitted'],
    [{ max_tokens: undefined }, 'max_tokens: Field required'],
    [{ max_tokens: 0 }, 'greater than or equal to 1'],
    [{ messages: [] }, 'at least one message is required'],
    [{ messages: [{ role: 'system', content: 'x' }] }, "Input should be 'user' or 'assistant'"],
    [{ messages: [asking('a')] }, 'first message must use the'],
    [{ messages: [user, user] }, 'roles must alternate'],
    [{ messages: [{ role: 'user', content: '' }] }, 'all messages must have non-empty content'],
    [
      { messages: [{ role: 'user', content: [{ type: 'text', text: '' }] }] },
      'text content blocks must be non-empty',
    ],
    [{ system: [{ type: 'text', text: '' }] }, 'system: text content blocks must be non-empty'],
    [{ messages: [user, { role: 'assistant', content: 'so ' }] }, 'cannot end with trailing whitespace'],
    [{ messages: [user, asking('a')] }, 'were found without `tool_result` blocks immediately after: a'],
    [{ messages: [user, asking('a'), user] }, 'were found without `tool_result` blocks immediately after: a'],
    [
      { messages: [user, asking('a'), result('b')] },
      'unexpected `tool_use_id` found in `tool_result` blocks: b',
    ],
    [{ messages: [result('a')] }, 'unexpected `tool_use_id`'],
    [{ messages: [user, asking(''), result('')] }, 'tool_use.id: String should match pattern'],
    [{ messages: [user, asking('a', 'x y'), result('a')] }, 'tool_use.name: String should match pattern'],
    [
      { tools: [tool('research.icp', { type: 'object' })] },
      'tools.0.custom.name: String should match pattern',
    ],
    [{ tools: [tool('a')] }, 'input_schema: Field required'],
    [{ tools: [tool('a', {})] }, 'input_schema.type: Field required'],
    [{ tools: [tool('a', { type: 'string' })] }, "Input should be 'object'"],
    [{ tools: [tool('a', { type: 'object' }), tool('a', { type: 'object' })] }, 'Tool names must be unique'],
  ])('the fake Anthropic API rejects %j', async (body, message) => {
    const { status, text } = await post(body)

    expect(status).toBe(400)
    expect(JSON.parse(text)).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } })
    expect(text).toContain(message)
  })

  it('the fake Anthropic API accepts a conversation with tool results', async () => {
    const { status, text } = await post({ messages: [user, asking('a'), result('a')] })

    expect(status).toBe(200)
    expect(JSON.parse(text)).toMatchObject({
      content: [{ type: 'text', text: 'hi there' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 4, cache_read_input_tokens: 3, output_tokens: 2 },
    })
  })

  it('the fake Anthropic API streams named events from message_start to message_stop', async () => {
    const { text } = await post({ stream: true })

    const names = [...text.matchAll(/^event: (\S+)$/gmu)].map((match) => match[1])
    expect(names).toEqual([
      'message_start',
      'ping',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ])
  })
})
