import OpenAI from 'openai'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { defineAgent, failure, TroupeError } from '@troupe/schema'
import { verifies } from '@troupe/testkit/internal'
import { generateText, jsonSchema, Output, streamText, tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { oneAgent } from './support/one-agent.ts'
import { allEvents } from './support/read-events.ts'
import { leadAndClerk, PARROT, serveTeam, type ServedTeam } from './support/serve-team.ts'
import { slowAgent } from './support/slow-agent.ts'

const HOUR = {
  type: 'object',
  properties: { hour: { type: 'integer' } },
  required: ['hour'],
  additionalProperties: false,
} as const

function clientOf({ url }: ServedTeam, apiKey = 'none'): OpenAI {
  return new OpenAI({ baseURL: `${url}/openai/v1`, apiKey })
}

describe('OpenAI chat completions', () => {
  it(`the OpenAI client lists agents as models ${verifies('C78')}`, async () => {
    const client = clientOf(await serveTeam(leadAndClerk()))
    const { data } = await client.models.list()
    expect(data.map(({ id }) => id)).toEqual(['Lead', 'Clerk'])
    expect(await client.models.retrieve('Clerk')).toMatchObject({ id: 'Clerk', object: 'model' })
    await expect(client.models.retrieve('gpt')).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
    })
  })

  it(`the OpenAI client gets a chat completion without the tool calls of the agent ${verifies('C78')}`, async () => {
    const client = clientOf(await serveTeam(leadAndClerk()))
    const completion = await client.chat.completions.create({
      model: 'Lead',
      messages: [{ role: 'user', content: 'How many?' }],
      tools: [{ type: 'function', function: { name: 'mine', parameters: { type: 'object' } } }],
      temperature: 0,
    })
    expect(completion).toMatchObject({
      object: 'chat.completion',
      model: 'Lead',
      choices: [{ message: { role: 'assistant', content: 'There are 3.' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 30, completion_tokens: 15, total_tokens: 45 },
    })
    expect(completion.choices[0]?.message.tool_calls).toBeUndefined()
  })

  it(`the OpenAI client gets a chat completion as a stream while it is written ${verifies('C78')}`, async () => {
    const client = clientOf(await serveTeam(leadAndClerk()))
    const stream = await client.chat.completions.create({
      model: 'Lead',
      messages: [{ role: 'user', content: 'How many?' }],
      stream: true,
      stream_options: { include_usage: true },
    })
    const chunks: OpenAI.ChatCompletionChunk[] = []
    for await (const chunk of stream) chunks.push(chunk)
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1)
    expect(chunks[0]?.choices[0]?.delta).toMatchObject({ role: 'assistant', content: '' })
    const pieces = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').filter((text) => text !== '')
    expect(pieces).toEqual(['There ', 'are ', '3.'])
    const finishes = chunks.flatMap(({ choices }) => choices[0]?.finish_reason ?? [])
    expect(finishes).toEqual(['stop'])
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 45 } })
  })

  it('the agent gets the conversation of the OpenAI client, and its system messages after its own prompt', async () => {
    const team = oneAgent((words) => ({ text: words.join('\n') }))
    const client = clientOf(await serveTeam(team))
    const completion = await client.chat.completions.create({
      model: 'One',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
        { role: 'developer', content: 'Be kind.' },
        { role: 'assistant', content: 'Hello.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is ' },
            { type: 'text', text: 'this?' },
          ],
        },
      ],
    })
    const lines = (completion.choices[0]?.message.content ?? '').split('\n')
    expect(lines[0]).toMatch(/^system: Do it\./u)
    expect(lines.slice(-7)).toEqual([
      '',
      'Be brief.',
      '',
      'Be kind.',
      'user: Hi',
      'assistant: Hello.',
      'user: What is this?',
    ])
  })

  it('a composition, which has no prompt, gets the system messages of the client before its first user message', async () => {
    const chain = defineAgent({ name: 'Chain', instruction: '', type: 'chain', sequence: ['Parrot'] })
    const client = clientOf(await serveTeam({ cards: [chain, PARROT] }))
    const completion = await client.chat.completions.create({
      model: 'Chain',
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'system', content: 'Be brief.' },
      ],
    })
    expect(completion.choices[0]?.message.content).toBe('Be brief.\n\nHi')
  })

  it('the agent gets images that the OpenAI client sends', async () => {
    const team = oneAgent((words) => ({ text: words.at(-1) ?? '' }))
    const client = clientOf(await serveTeam(team))
    const ask = (url: string) =>
      client.chat.completions.create({
        model: 'One',
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Look' },
              { type: 'image_url', image_url: { url } },
            ],
          },
        ],
      })
    expect((await ask('data:image/png;base64,AAAA')).choices[0]?.message.content).toBe('user: Look file')
    await expect(ask('http://169.254.169.254/x.png')).rejects.toMatchObject({ status: 400 })
  })

  it('the OpenAI client gets JSON that matches its schema in one chunk', async () => {
    const client = clientOf(await serveTeam(oneAgent(() => ({ text: ['{"hour"', ':5}'] }))))
    const asked = {
      model: 'One',
      messages: [{ role: 'user' as const, content: 'Hour?' }],
      response_format: {
        type: 'json_schema' as const,
        json_schema: { name: 'hour', schema: HOUR, strict: true },
      },
    }
    const { choices } = await client.chat.completions.create(asked)
    expect(JSON.parse(choices[0]?.message.content ?? '')).toEqual({ hour: 5 })
    const pieces: string[] = []
    for await (const chunk of await client.chat.completions.create({ ...asked, stream: true })) {
      const piece = chunk.choices[0]?.delta.content
      if (piece) pieces.push(piece)
    }
    expect(pieces).toEqual(['{"hour":5}'])
  })

  it('the OpenAI client gets the error of a failed run and does not retry it', async () => {
    const error = new TroupeError(failure('model_bad_request', 'No.'))
    let calls = 0
    const team = oneAgent(() => {
      calls += 1
      return { error }
    })
    const client = clientOf(await serveTeam(team))
    const asked = { model: 'One', messages: [{ role: 'user' as const, content: 'Hi' }] }
    await expect(client.chat.completions.create(asked)).rejects.toMatchObject({
      status: 502,
      code: 'model_bad_request',
    })
    expect(calls).toBe(1)
    const stream = await client.chat.completions.create({ ...asked, stream: true })
    const read = async (): Promise<void> => {
      for await (const chunk of stream) expect(chunk.choices[0]?.delta.content ?? '').toBe('')
    }
    await expect(read()).rejects.toThrowError(/No\./u)
  })

  it.each([
    [{ model: 'gpt', messages: [{ role: 'user', content: 'Hi' }] }, 404],
    [{ model: 'Parrot', messages: [] }, 400],
    [{ model: 'Parrot', messages: [{ role: 'assistant', content: 'Hi' }] }, 400],
    [{ model: 'Parrot', messages: [{ role: 'user', content: '' }] }, 400],
    [{ model: 'Parrot', messages: [{ role: 'user', content: 'Hi' }], n: 2 }, 400],
  ])('the chat completions API rejects %j', async (body, status) => {
    const client = clientOf(await serveTeam({ cards: [PARROT] }))
    await expect(client.chat.completions.create(body as never)).rejects.toMatchObject({
      status,
      error: { message: expect.any(String), type: 'invalid_request_error' },
    })
  })
})

describe('OpenAI Responses API', () => {
  it(`the Responses API returns a whole response ${verifies('C78')}`, async () => {
    const client = clientOf(await serveTeam(leadAndClerk()))
    const response = await client.responses.create({ model: 'Lead', input: 'How many?' })
    expect(response).toMatchObject({
      status: 'completed',
      output_text: 'There are 3.',
      usage: { total_tokens: 45 },
    })
    expect(response.output.map(({ type }) => type)).toEqual(['message'])
  })

  it('the Responses API streams its events in order', async () => {
    const { url } = await serveTeam(leadAndClerk())
    const answer = await fetch(`${url}/openai/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'Lead', input: [{ role: 'user', content: 'How many?' }], stream: true }),
    })
    const events = await allEvents(answer)
    expect(events.map(({ event }) => event)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ])
    for (const [index, { event, data }] of events.entries())
      expect(data).toMatchObject({ type: event, sequence_number: index })
  })

  it(`the Responses API continues a conversation by the id of its last response ${verifies('C78')}`, async () => {
    const team = await serveTeam(oneAgent((words) => ({ text: `${words.length} ${words.at(-1) ?? ''}` })))
    const client = clientOf(team)
    const first = await client.responses.create({ model: 'One', input: 'a' })
    const ask = (input: string, previous: string) =>
      client.responses.create({ model: 'One', input, previous_response_id: previous })
    const second = await ask('b', first.id)
    const third = await ask('c', second.id)
    expect([first, second, third].map(({ output_text: text }) => text)).toEqual([
      '2 user: a',
      '4 user: b',
      '6 user: c',
    ])
    expect(third.previous_response_id).toBe(second.id)
    for (const id of ['resp_none', 'resp_a.b', '../x'])
      await expect(ask('d', id)).rejects.toMatchObject({ status: 404 })
  })

  it('a response after an earlier one branches from it, and the conversation stays as it is', async () => {
    const team = await serveTeam(oneAgent((words) => ({ text: `${words.length} ${words.at(-1) ?? ''}` })))
    const client = clientOf(team)
    const ask = (input: string, previous: string) =>
      client.responses.create({ model: 'One', input, previous_response_id: previous })
    const first = await client.responses.create({ model: 'One', input: 'a' })
    const second = await ask('b', first.id)
    const branch = await ask('c', first.id)
    expect(branch).toMatchObject({ output_text: '4 user: c', previous_response_id: first.id })
    expect((await ask('d', branch.id)).output_text).toBe('6 user: d')
    expect((await ask('e', second.id)).output_text).toBe('6 user: e')
    expect((await client.responses.retrieve(branch.id)).output_text).toBe('4 user: c')
  })

  it('a response cannot branch from a run that another principal started or that is not stored', async () => {
    const tokens = [
      { token: 'token-of-ada-0001', principal: 'ada' },
      { token: 'token-of-ben-0001', principal: 'ben' },
    ]
    const team = await serveTeam({ cards: [PARROT, { ...PARROT, name: 'Secret', store: 'none' }], tokens })
    const [ada, ben] = tokens.map(({ token }) => clientOf(team, token)) as [OpenAI, OpenAI]
    const own = await ben.responses.create({ model: 'Parrot', input: 'b' })
    const other = await ada.responses.create({ model: 'Parrot', input: 'a' })
    // the session is that of the caller, the run is not
    const forged = `${own.id.split('.')[0] ?? ''}.${other.id.split('.')[1] ?? ''}`
    const asked = { model: 'Parrot', input: 'c', previous_response_id: forged }
    await expect(ben.responses.create(asked)).rejects.toMatchObject({ status: 404 })
    const first = await ben.responses.create({ model: 'Secret', input: 'a' })
    await ben.responses.create({ model: 'Secret', input: 'b', previous_response_id: first.id })
    await expect(
      ben.responses.create({ model: 'Secret', input: 'c', previous_response_id: first.id }),
    ).rejects.toMatchObject({ status: 404 })
  })

  it('a conversation of the Responses API belongs to one principal', async () => {
    const tokens = [
      { token: 'token-of-ada-0001', principal: 'ada' },
      { token: 'token-of-ben-0001', principal: 'ben' },
    ]
    const team = await serveTeam({ cards: [PARROT], tokens })
    const first = await clientOf(team, 'token-of-ada-0001').responses.create({ model: 'Parrot', input: 'a' })
    const asked = { model: 'Parrot', input: 'b', previous_response_id: first.id }
    await expect(clientOf(team, 'token-of-ben-0001').responses.create(asked)).rejects.toMatchObject({
      status: 404,
    })
    expect((await clientOf(team, 'token-of-ada-0001').responses.create(asked)).output_text).toBe('b')
    await expect(clientOf(team, 'token-of-ben-0001').responses.retrieve(first.id)).rejects.toMatchObject({
      status: 404,
    })
  })

  it('a stored response can be retrieved', async () => {
    const slow = slowAgent()
    const team = await serveTeam({ ...slow, cards: [...slow.cards, PARROT] })
    const client = clientOf(team)
    const first = await client.responses.create({ model: 'Parrot', input: 'a' })
    expect(await client.responses.retrieve(first.id)).toEqual(first)
    const second = await client.responses.create({
      model: 'Parrot',
      input: 'b',
      previous_response_id: first.id,
      instructions: 'Be brief.',
      metadata: { ticket: '7' },
      text: { format: { type: 'text' } },
    })
    expect(second).toMatchObject({ metadata: { ticket: '7' }, instructions: 'Be brief.' })
    expect(await client.responses.retrieve(second.id)).toEqual(second)
    const stream = await client.responses.create({ model: 'Slow', input: 'Go', stream: true })
    const ids: string[] = []
    for await (const event of stream) {
      if (event.type !== 'response.created') continue
      ids.push(event.response.id)
      await slow.begun
      expect(await client.responses.retrieve(event.response.id)).toMatchObject({ status: 'in_progress' })
      slow.answer()
    }
    const [id = ''] = ids
    expect(await client.responses.retrieve(id)).toMatchObject({
      status: 'completed',
      output_text: 'At last.',
    })
    for (const other of ['resp_none', 'resp_a.b'])
      await expect(client.responses.retrieve(other)).rejects.toMatchObject({ status: 404 })
  })

  it('a response with `store: false` can be neither retrieved nor continued', async () => {
    const client = clientOf(await serveTeam({ cards: [PARROT] }))
    const { id, ...response } = await client.responses.create({ model: 'Parrot', input: 'a', store: false })
    expect(response).toMatchObject({ store: false })
    await expect(client.responses.retrieve(id)).rejects.toMatchObject({ status: 404 })
    await expect(
      client.responses.create({ model: 'Parrot', input: 'b', previous_response_id: id }),
    ).rejects.toMatchObject({ status: 404 })
  })

  it('the Responses API rejects a `conversation` that was not created, and accepts null', async () => {
    const client = clientOf(await serveTeam({ cards: [PARROT] }))
    await expect(
      client.responses.create({ model: 'Parrot', input: 'a', conversation: 'conv_1' }),
    ).rejects.toMatchObject({ status: 404, message: expect.stringContaining('conv_1') })
    expect(
      (await client.responses.create({ model: 'Parrot', input: 'a', conversation: null })).output_text,
    ).toBe('a')
  })

  it('the Responses API accepts the extra fields that other clients send', async () => {
    const team = oneAgent((words) => ({ text: words.join('\n') }))
    const client = clientOf(await serveTeam(team))
    const response = await client.responses.create({
      model: 'One',
      instructions: 'Be brief.',
      store: false,
      include: ['reasoning.encrypted_content'],
      reasoning: { effort: 'high' },
      tools: [{ type: 'web_search' }, { type: 'namespace', name: 'mcp' } as never],
      input: [
        { role: 'developer', content: 'Be kind.' },
        { type: 'reasoning', id: 'r', summary: [] },
        { role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
      ],
    })
    expect(response.output_text).toMatch(/^system: Do it\.[^]*\n\nBe brief\.\n\nBe kind\.\nuser: Hi$/u)
  })
})

it('the OpenAI routes accept null for optional fields', async () => {
  const { url } = await serveTeam({ cards: [PARROT] })
  const post = (path: string, body: object) =>
    fetch(`${url}/openai/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'Parrot', ...body }),
    })
  const messages = [{ role: 'user', content: 'Hi' }]
  const nothing = { response_format: null, stream: null, n: null, stream_options: { include_usage: null } }
  expect((await post('chat/completions', { messages, ...nothing })).status).toBe(200)
  expect((await post('responses', { input: 'Hi', text: { format: null } })).status).toBe(200)
})

describe('AI SDK with the OpenAI API', () => {
  it.each(['chat', 'responses', 'compatible'] as const)(
    'the AI SDK reads %s, whole and streamed',
    async (kind) => {
      const team = await serveTeam(leadAndClerk())
      const baseURL = `${team.url}/openai/v1`
      const openai = createOpenAI({ baseURL, apiKey: 'none' })
      const models = {
        chat: () => openai.chat('Lead'),
        responses: () => openai.responses('Lead'),
        compatible: () => createOpenAICompatible({ name: 'troupe', baseURL, includeUsage: true })('Lead'),
      }
      const model = models[kind]()
      const mine = tool({ inputSchema: jsonSchema({ type: 'object' }), execute: () => 'never' })
      const whole = await generateText({ model, prompt: 'How many?', tools: { mine } })
      expect(whole).toMatchObject({ text: 'There are 3.', finishReason: 'stop', toolCalls: [] })
      expect(whole.usage.totalTokens).toBe(45)
      const streamed = streamText({ model, prompt: 'How many?', onError: () => undefined })
      const pieces: string[] = []
      for await (const piece of streamed.textStream) pieces.push(piece)
      expect(pieces).toEqual(['There ', 'are ', '3.'])
      expect((await streamed.usage).totalTokens).toBe(45)
    },
  )

  it('the AI SDK gets structured output', async () => {
    const team = await serveTeam(oneAgent(() => ({ text: '{"hour":5}' })))
    const model = createOpenAI({ baseURL: `${team.url}/openai/v1`, apiKey: 'none' })('One')
    const { output } = await generateText({
      model,
      prompt: 'Hour?',
      output: Output.object({ schema: jsonSchema<{ hour: number }>({ ...HOUR, required: ['hour'] }) }),
    })
    expect(output).toEqual({ hour: 5 })
  })
})
