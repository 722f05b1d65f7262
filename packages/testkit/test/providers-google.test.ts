import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startFakeGoogle, type FakeProvider } from '../src/index.ts'

let fake: FakeProvider
beforeAll(async () => {
  fake = await startFakeGoogle({
    apiKey: 'key-1',
    answers: () => ({ text: 'hi there', usage: { input: 7, output: 2 } }),
  })
})
afterAll(() => fake.close())

const user = { role: 'user', parts: [{ text: 'hi' }] }
const asking = { role: 'model', parts: [{ functionCall: { name: 'tool', args: {} } }] }
const result = { role: 'user', parts: [{ functionResponse: { name: 'tool', response: {} } }] }
const tool = (name: string, parameters?: unknown): object => ({
  tools: [{ functionDeclarations: [{ name, description: 'd', parameters }] }],
})

async function post(
  body: object,
  { method = 'generateContent', key = 'key-1' } = {},
): Promise<{ status: number; text: string }> {
  const response = await fetch(`${fake.baseURL}/models/gemini:${method}`, {
    method: 'POST',
    headers: key === '' ? {} : { 'x-goog-api-key': key },
    body: JSON.stringify({ contents: [user], ...body }),
  })
  return { status: response.status, text: await response.text() }
}

describe('generateContent', () => {
  it('the fake Google API rejects a missing key as unauthenticated and a wrong key as an invalid argument', async () => {
    const none = await post({}, { key: '' })
    const wrong = await post({}, { key: 'other' })

    expect(none.status).toBe(403)
    expect(JSON.parse(none.text)).toMatchObject({ error: { status: 'PERMISSION_DENIED' } })
    expect(wrong.status).toBe(400)
    expect(JSON.parse(wrong.text)).toMatchObject({ error: { details: [{ reason: 'API_KEY_INVALID' }] } })
  })

  it.each([
    [{ foo: 1 }, 'Unknown name \\"foo\\": Cannot find field.'],
    [{ contents: [] }, 'contents is not specified'],
    [{ contents: [{ role: 'assistant', parts: [{ text: 'x' }] }] }, 'Please use a valid role: user, model.'],
    [{ contents: [{ role: 'user', parts: [] }] }, 'contents.parts must not be empty'],
    [{ contents: [{ role: 'user', parts: [{ text: '' }] }] }, 'must have one initialized field'],
    [{ contents: [user, asking] }, 'number of function response parts'],
    [{ contents: [user, result] }, 'number of function response parts'],
    [{ contents: [asking, result] }, 'comes immediately after a user turn'],
    [tool('3d'), 'Invalid function name'],
    [tool('a b'), 'Invalid function name'],
    [tool('a', { type: 'object', properties: {} }), 'should be non-empty for OBJECT type'],
    [
      tool('a', { type: 'object', properties: { x: { type: 'string', $comment: 'no' } } }),
      'Unknown name \\"$comment\\"',
    ],
    [tool('a', { type: 'object', properties: { x: { type: 'array' } } }), 'items: missing field'],
  ])('the fake Google API rejects %j', async (body, message) => {
    const { status, text } = await post(body)

    expect(status).toBe(400)
    expect(text).toContain(message)
  })

  it('the fake Google API accepts calls with their results', async () => {
    const { status, text } = await post({ contents: [user, asking, result] })

    expect(status).toBe(200)
    expect(JSON.parse(text)).toMatchObject({
      candidates: [{ content: { parts: [{ text: 'hi there' }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 2, totalTokenCount: 9 },
    })
  })

  it('the fake Google API streams as events or as one list', async () => {
    const events = await post({}, { method: 'streamGenerateContent?alt=sse' })
    const list = await post({}, { method: 'streamGenerateContent' })

    expect(events.text.match(/^data: /gmu)).toHaveLength(2)
    expect(JSON.parse(list.text)).toHaveLength(2)
  })
})
