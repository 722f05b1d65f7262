import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startFakeOpenAI, type FakeProvider } from '../src/index.ts'

let fake: FakeProvider
beforeAll(async () => {
  fake = await startFakeOpenAI({
    apiKey: 'key-1',
    answers: () => ({ text: 'hi there', usage: { input: 7, output: 2, cacheRead: 3, reasoning: 1 } }),
  })
})
afterAll(() => fake.close())

const user = { role: 'user', content: 'hi' }
const call = (id: string, name = 'tool'): object => ({
  id,
  type: 'function',
  function: { name, arguments: '{}' },
})
const asking = (...ids: readonly string[]): object => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => call(id)),
})
const result = (id: string): object => ({ role: 'tool', tool_call_id: id, content: 'ok' })
const tool = (name: string, parameters: unknown): object => ({
  tools: [{ type: 'function', function: { name, parameters } }],
})

async function post(path: string, body: object, key = 'key-1'): Promise<{ status: number; text: string }> {
  const response = await fetch(`${fake.baseURL}${path}`, {
    method: 'POST',
    headers: key === '' ? {} : { authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  })
  return { status: response.status, text: await response.text() }
}

const chat = (body: object, key?: string): ReturnType<typeof post> =>
  post('/chat/completions', { model: 'm', messages: [user], ...body }, key)
const respond = (body: object): ReturnType<typeof post> =>
  post('/responses', { model: 'm', input: [user], ...body })

describe('chat completions', () => {
  it.each([
    ['', /didn't provide an API key/u],
    ['other', /Incorrect API key provided: oth\*\*\*er/u],
  ])('the fake chat completions API rejects the key "%s"', async (key, message) => {
    const { status, text } = await chat({}, key)

    expect(status).toBe(401)
    expect(text).toMatch(message)
  })

  it.each([
    [{ foo: 1 }, 'Unrecognized request argument supplied: foo'],
    [{ model: '' }, 'model parameter'],
    [{ messages: [] }, 'empty array'],
    [{ messages: [{ role: 'bot', content: 'x' }] }, "Invalid value: 'bot'"],
    [{ messages: [{ role: 'user', content: null }] }, 'expected a string, got null'],
    [{ messages: [user, asking('a', 'b'), result('a')] }, 'did not have response messages: b'],
    [{ messages: [user, asking('a'), user, result('a')] }, 'did not have response messages: a'],
    [{ messages: [user, result('a')] }, "must be a response to a preceeding message with 'tool_calls'"],
    [
      { messages: [user, asking('a'), result('b')] },
      "must be a response to a preceeding message with 'tool_calls'",
    ],
    [tool('a b', { type: 'object', properties: {} }), 'does not match pattern'],
    [tool('research.icp', { type: 'object', properties: {} }), 'does not match pattern'],
    [tool('x'.repeat(65), { type: 'object', properties: {} }), 'does not match pattern'],
    [tool('a', { type: 'string' }), 'got \'type: \\"string\\"\''],
    [tool('a', {}), 'got \'type: \\"None\\"\''],
    [tool('a', { type: 'object' }), 'object schema missing properties'],
    [{ tools: Array.from({ length: 129 }, () => ({})) }, 'maximum length 128'],
    [{ stream_options: { include_usage: true } }, "only allowed when 'stream' is enabled"],
    [{ model: 'gpt-5-mini', max_tokens: 5 }, "Use 'max_completion_tokens' instead"],
  ])('the fake chat completions API rejects %j', async (body, message) => {
    const { status, text } = await chat(body)

    expect(status).toBe(400)
    expect(text).toContain(message)
    expect(JSON.parse(text)).toMatchObject({ error: { type: 'invalid_request_error' } })
  })

  it('the fake chat completions API accepts results in any order', async () => {
    const messages = [user, asking('a', 'b'), result('b'), result('a'), user]

    expect((await chat({ messages })).status).toBe(200)
  })

  it('the fake chat completions API reports usage of a stream only on request', async () => {
    const plain = await chat({ stream: true })
    const counted = await chat({ stream: true, stream_options: { include_usage: true } })

    expect(plain.text).toMatch(/data: \[DONE\]\n\n$/u)
    expect(plain.text).not.toContain('prompt_tokens')
    expect(counted.text).toContain('"usage":{"prompt_tokens":7,"completion_tokens":2')
    expect(counted.text).toContain('"cached_tokens":3')
  })
})

describe('responses', () => {
  const item = { type: 'function_call', call_id: 'a', name: 'tool', arguments: '{}' }
  const output = { type: 'function_call_output', call_id: 'a', output: 'ok' }

  it.each([
    [{ foo: 1 }, "Unknown parameter: 'foo'."],
    [{ input: [] }, "Missing required parameter: 'input'."],
    [{ input: [user, item] }, 'No tool output found for function call a.'],
    [{ input: [user, output] }, 'No tool call found for function call output with call_id a.'],
    [{ input: [user, { ...item, name: 'a b' }, output] }, 'does not match pattern'],
    [{ tools: [{ type: 'function', name: 'a', parameters: {} }] }, 'Invalid schema for function'],
  ])('the fake responses API rejects %j', async (body, message) => {
    const { status, text } = await respond(body)

    expect(status).toBe(400)
    expect(text).toContain(message)
  })

  it('the fake responses API answers with numbered events', async () => {
    const { text } = await respond({ input: [user, item, output], stream: true })

    expect([...text.matchAll(/"sequence_number":(\d+)/gu)].map((match) => Number(match[1]))).toEqual(
      Array.from({ length: 10 }, (_, index) => index),
    )
    expect(text).toContain('event: response.completed\n')
  })
})
