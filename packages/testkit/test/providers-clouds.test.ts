import { afterEach, describe, expect, it } from 'vitest'
import {
  startFakeAzure,
  startFakeBedrock,
  startFakeMistral,
  startFakeVertex,
  type FakeProvider,
} from '../src/index.ts'

const fakes: FakeProvider[] = []
afterEach(async () => {
  for (const fake of fakes.splice(0)) await fake.close()
})

async function opened(start: Promise<FakeProvider>): Promise<FakeProvider> {
  const fake = await start
  fakes.push(fake)
  return fake
}

async function post(url: string, body: object, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, text: await response.text() }
}

const answers = (): { readonly text: string } => ({ text: 'hi' })
const user = { role: 'user', content: 'hi' }

describe('the fake of Azure', () => {
  it('the fake of Azure accepts a key or the token of Entra ID, and nothing else', async () => {
    const { baseURL } = await opened(startFakeAzure({ answers, apiKey: 'key-1', token: 'token-1' }))
    const url = `${baseURL}/v1/chat/completions?api-version=v1`
    const call = { model: 'm', messages: [user] }
    expect((await post(url, call, { 'api-key': 'key-1' })).status).toBe(200)
    expect((await post(url, call, { authorization: 'Bearer token-1' })).status).toBe(200)
    expect((await post(url, call, { authorization: 'Bearer key-1' })).status).toBe(401)
    expect((await post(url, call, { 'api-key': 'other' })).status).toBe(401)
  })

  it('the fake of Azure requires a dated version for deployments, and has Chat Completions there only', async () => {
    const { baseURL } = await opened(startFakeAzure({ answers }))
    const call = { model: 'm', messages: [user] }
    const statusOf = async (path: string) => (await post(baseURL + path, call, { 'api-key': 'k' })).status
    expect(await statusOf('/deployments/d/chat/completions?api-version=2024-10-21')).toBe(200)
    expect(await statusOf('/deployments/d/chat/completions')).toBe(404)
    expect(await statusOf('/deployments/d/chat/completions?api-version=v1')).toBe(404)
    expect(await statusOf('/deployments/d/responses?api-version=2024-10-21')).toBe(404)
  })
})

describe('the fake of Bedrock', () => {
  const text = (words: string) => ({ content: [{ text: words }] })
  const start = { role: 'user', ...text('hi') }
  const toolUse = { role: 'assistant', content: [{ toolUse: { toolUseId: 'a', name: 't', input: {} } }] }
  const toolConfig = { tools: [{ toolSpec: { name: 't', inputSchema: { json: { type: 'object' } } } }] }

  it.each([
    [{ messages: [start], max_tokens: 3 }, 'extraneous key [max_tokens]'],
    [{ messages: [{ role: 'assistant', ...text('hi') }] }, 'must start with a user message'],
    [{ messages: [start, start] }, 'must alternate'],
    [{ messages: [{ role: 'user', ...text(' ') }] }, 'is blank'],
    [{ messages: [start, toolUse] }, 'toolConfig field must be defined'],
    [{ messages: [start, toolUse], toolConfig }, 'Expected toolResult blocks for the following Ids: a'],
    [
      { messages: [start], toolConfig: { tools: [{ toolSpec: { name: 't', inputSchema: { json: {} } } }] } },
      'must be one of the following: object',
    ],
    [
      { messages: [{ role: 'user', content: [{ image: { format: 'bmp', source: {} } }] }] },
      "Value at 'image.format'",
    ],
  ])('the fake of Bedrock rejects %j', async (body, message) => {
    const { baseURL } = await opened(startFakeBedrock({ answers }))
    const refused = await post(`${baseURL}/model/m/converse`, body, { authorization: 'Bearer k' })
    expect(refused).toEqual({ status: 400, text: expect.stringContaining(message) as unknown })
  })

  it('the fake of Bedrock refuses a request without a signature or a token', async () => {
    const { baseURL } = await opened(startFakeBedrock({ answers }))
    expect((await post(`${baseURL}/model/m/converse`, { messages: [start] })).status).toBe(403)
  })

  it('the fake of Bedrock refuses a signature that does not match', async () => {
    const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret', region: 'us-east-1' }
    const { baseURL } = await opened(startFakeBedrock({ answers, credentials }))
    const refused = await post(
      `${baseURL}/model/m/converse`,
      { messages: [start] },
      {
        'x-amz-date': '20260101T000000Z',
        authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260101/us-east-1/bedrock/aws4_request, SignedHeaders=host;x-amz-date, Signature=${'0'.repeat(64)}`,
      },
    )
    expect(refused).toEqual({ status: 403, text: expect.stringContaining('does not match') as unknown })
  })
})

it('the fake of Vertex AI requires the token, the project and the location', async () => {
  const options = { answers, token: 'token-1', project: 'p', location: 'l' }
  const { baseURL } = await opened(startFakeVertex(options))
  const body = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }
  const url = `${baseURL}/models/gemini:generateContent`
  expect(baseURL).toContain('/v1beta1/projects/p/locations/l/publishers/google')
  expect((await post(url, body, { authorization: 'Bearer token-1' })).status).toBe(200)
  expect((await post(url, body, { authorization: 'Bearer other' })).status).toBe(401)
  expect((await post(url, body, { 'x-goog-api-key': 'token-1' })).status).toBe(401)
  const elsewhere = url.replace('/projects/p/', '/projects/q/')
  expect((await post(elsewhere, body, { authorization: 'Bearer token-1' })).status).toBe(404)
})

it('the fake of Mistral rejects a message of the user right after tool results', async () => {
  const { baseURL } = await opened(startFakeMistral({ answers }))
  const messages = [
    user,
    {
      role: 'assistant',
      tool_calls: [{ id: 'a', type: 'function', function: { name: 't', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'a', content: 'noon' },
    user,
  ]
  const refused = await post(
    `${baseURL}/chat/completions`,
    { model: 'm', messages },
    { authorization: 'Bearer k' },
  )
  expect(refused.status).toBe(400)
  expect(refused.text).toContain("Unexpected role 'user' after role 'tool'")
})
