import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startFakeOllama, type FakeProvider } from '../src/index.ts'

let fake: FakeProvider
beforeAll(async () => {
  fake = await startFakeOllama({ answers: () => ({ text: 'hi there', calls: [{ name: 'tool', args: {} }] }) })
})
afterAll(() => fake.close())

async function post(body: object): Promise<{ status: number; text: string }> {
  const response = await fetch(`${fake.baseURL}/chat`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }], ...body }),
  })
  return { status: response.status, text: await response.text() }
}

describe('chat', () => {
  it.each([
    [{ model: '' }, 'model is required'],
    [{ messages: [{ role: 'bot', content: 'x' }] }, 'invalid role'],
    [{ messages: [{ role: 'user', content: [] }] }, 'cannot unmarshal array'],
    [
      {
        messages: [
          { role: 'assistant', content: '', tool_calls: [{ function: { name: 'a', arguments: '{}' } }] },
        ],
      },
      'cannot unmarshal string',
    ],
  ])('the fake Ollama API rejects %j', async (body, message) => {
    const { status, text } = await post(body)

    expect(status).toBe(400)
    expect((JSON.parse(text) as { readonly error: string }).error).toContain(message)
  })

  it('the fake Ollama API streams lines of JSON unless streaming is turned off', async () => {
    const lines = (await post({})).text.trim().split('\n')
    const whole = JSON.parse((await post({ stream: false })).text) as object

    expect(lines.map((line) => (JSON.parse(line) as { readonly done: boolean }).done)).toEqual([
      false,
      false,
      false,
      true,
    ])
    expect(whole).toMatchObject({ done: true, message: { content: 'hi there', tool_calls: [{}] } })
  })
})
