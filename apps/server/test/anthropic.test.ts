import Anthropic from '@anthropic-ai/sdk'
import { createAnthropic } from '@ai-sdk/anthropic'
import { failure, TroupeError } from '@troupe/schema'
import { verifies } from '@troupe/testkit/internal'
import { generateText, streamText } from 'ai'
import { describe, expect, it } from 'vitest'
import { oneAgent } from './support/one-agent.ts'
import { leadAndClerk, PARROT, serveTeam, type ServedTeam } from './support/serve-team.ts'

const HI = { model: 'One', max_tokens: 100, messages: [{ role: 'user' as const, content: 'Hi' }] }

function clientOf({ url }: ServedTeam): Anthropic {
  return new Anthropic({ baseURL: `${url}/anthropic`, apiKey: 'none' })
}

describe('Anthropic API', () => {
  it(`the Anthropic client lists agents as models ${verifies('C78')}`, async () => {
    const client = clientOf(await serveTeam(leadAndClerk()))
    const { data } = await client.models.list()
    expect(data.map(({ id }) => id)).toEqual(['Lead', 'Clerk'])
    expect(await client.models.retrieve('Clerk')).toMatchObject({ type: 'model', display_name: 'Clerk' })
    await expect(client.models.retrieve('claude')).rejects.toMatchObject({
      status: 404,
      error: { type: 'error', error: { type: 'not_found_error' } },
    })
  })

  it(`the Anthropic client gets a message without the tool calls of the agent ${verifies('C78')}`, async () => {
    const client = clientOf(await serveTeam(leadAndClerk()))
    const message = await client.messages.create({
      ...HI,
      model: 'Lead',
      tools: [{ name: 'mine', input_schema: { type: 'object' } }],
      thinking: { type: 'enabled', budget_tokens: 2000 },
    })
    expect(message).toMatchObject({
      type: 'message',
      role: 'assistant',
      model: 'Lead',
      content: [{ type: 'text', text: 'There are 3.' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 30, output_tokens: 15 },
    })
  })

  it('the Anthropic client gets a stream of strictly nested events', async () => {
    const client = clientOf(await serveTeam(leadAndClerk()))
    const stream = client.messages.stream({ ...HI, model: 'Lead' })
    const types: string[] = []
    const pieces: string[] = []
    for await (const event of stream) {
      types.push(event.type)
      if (event.type === 'content_block_delta' && event.delta.type === 'text_delta')
        pieces.push(event.delta.text)
    }
    expect(types).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ])
    expect(pieces).toEqual(['There ', 'are ', '3.'])
    expect(await stream.finalMessage()).toMatchObject({
      stop_reason: 'end_turn',
      usage: { output_tokens: 15 },
    })
  })

  it('the Anthropic client sends the conversation with every request, including files', async () => {
    const client = clientOf(await serveTeam(oneAgent((words) => ({ text: words.slice(1).join('\n') }))))
    const message = await client.messages.create({
      ...HI,
      system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
      messages: [
        { role: 'user', content: 'Hi' },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Hello.' },
            { type: 'tool_use', id: 'a', name: 'mine', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'five' }] },
            { type: 'text', text: 'Look' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
          ],
        },
      ],
    })
    expect(message.content).toMatchObject([
      { text: 'user: Hi\nassistant: Hello.\nuser: Result of a tool:\nfive\n\nLook file' },
    ])
  })

  it('the Anthropic client gets JSON that matches its schema', async () => {
    const client = clientOf(await serveTeam(oneAgent(() => ({ text: '{"hour":5}' }))))
    const schema = { type: 'object', properties: { hour: { type: 'integer' } }, required: ['hour'] }
    const message = await client.messages.create({
      ...HI,
      output_config: { format: { type: 'json_schema', schema } },
    })
    expect(message.content).toMatchObject([{ text: '{"hour":5}' }])
  })

  it('the Anthropic client gets the error of a failed run and does not retry it', async () => {
    let calls = 0
    const team = oneAgent(() => {
      calls += 1
      return { error: new TroupeError(failure('model_bad_request', 'No.')) }
    })
    const client = clientOf(await serveTeam(team))
    await expect(client.messages.create(HI)).rejects.toMatchObject({
      status: 502,
      error: { error: { type: 'api_error', message: expect.stringContaining('No.') } },
    })
    expect(calls).toBe(1)
    await expect(client.messages.stream(HI).finalMessage()).rejects.toThrowError(/No\./u)
  })

  it.each([
    [{ ...HI, model: 'claude' }, 404, 'not_found_error'],
    [{ ...HI, max_tokens: undefined }, 400, 'invalid_request_error'],
    [{ ...HI, messages: [] }, 400, 'invalid_request_error'],
    [{ ...HI, messages: [{ role: 'assistant', content: 'Hi' }] }, 400, 'invalid_request_error'],
    [
      {
        ...HI,
        messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url: 'http://a' } }] }],
      },
      400,
      'invalid_request_error',
    ],
  ])('the Messages API rejects %j', async (body, status, type) => {
    const client = clientOf(await serveTeam(oneAgent(() => ({ text: 'Hi' }))))
    await expect(client.messages.create(body as never)).rejects.toMatchObject({
      status,
      error: { error: { type } },
    })
  })

  it('every response of the Messages API has a request id, errors included', async () => {
    const { url } = await serveTeam({ cards: [PARROT], limits: { maxBodyBytes: 1000 } })
    const headers = { 'content-type': 'application/json' }
    const post = (path: string, body: object) =>
      fetch(`${url}/anthropic/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    const messages = [{ role: 'user', content: 'Hi' }]
    const answers = await Promise.all([
      fetch(`${url}/anthropic/v1/models`),
      fetch(`${url}/anthropic/v1/models/Parrot`),
      fetch(`${url}/anthropic/v1/models/Nobody`),
      fetch(`${url}/anthropic/v1/nowhere`),
      post('messages', { model: 'Parrot', max_tokens: 9, messages }),
      post('messages', { model: 'Parrot', max_tokens: 9, messages, stream: true }),
      post('messages', { model: 'Nobody', max_tokens: 9, messages }),
      post('messages', {}),
      post('messages', { text: 'x'.repeat(2000) }),
      post('messages/count_tokens', { model: 'Parrot', messages }),
      post('messages/count_tokens', {}),
    ])
    expect(answers.map(({ status }) => status)).toEqual([
      200, 200, 404, 404, 200, 200, 404, 400, 413, 200, 400,
    ])
    const ids = answers.map((answer) => answer.headers.get('request-id') ?? '')
    expect(ids.every((id) => /^(?:req|run)_./u.test(id))).toBe(true)
    expect(new Set(ids).size).toBe(ids.length)
    await Promise.all(answers.map((answer) => answer.text()))
  })

  it('the Anthropic client can count the tokens of a request', async () => {
    const client = clientOf(await serveTeam({ cards: [PARROT] }))
    const count = async (content: string): Promise<number> => {
      const messages = [{ role: 'user' as const, content }]
      return (await client.messages.countTokens({ model: 'Parrot', messages })).input_tokens
    }
    expect(await count('Hi')).toBeGreaterThan(0)
    expect(await count('x'.repeat(4000))).toBeGreaterThan(1000)
  })
})

it('the AI SDK reads messages of the Messages API, whole and streamed', async () => {
  const team = await serveTeam(leadAndClerk())
  const model = createAnthropic({ baseURL: `${team.url}/anthropic/v1`, apiKey: 'none' })('Lead')
  const whole = await generateText({ model, prompt: 'How many?', maxOutputTokens: 100 })
  expect(whole).toMatchObject({ text: 'There are 3.', finishReason: 'stop' })
  const streamed = streamText({ model, prompt: 'How many?', maxOutputTokens: 100, onError: () => undefined })
  const pieces: string[] = []
  for await (const piece of streamed.textStream) pieces.push(piece)
  expect(pieces).toEqual(['There ', 'are ', '3.'])
  expect((await streamed.usage).totalTokens).toBe(45)
})
