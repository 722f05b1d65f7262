import Anthropic from '@anthropic-ai/sdk'
import { describe, expect, it } from 'vitest'
import { coder } from './support/coder.ts'
import { serveTeam, type ServedTeam } from './support/serve-team.ts'

type Messages = Anthropic.MessageParam[]

const READ: Anthropic.Tool = {
  name: 'read',
  description: 'Reads a file.',
  input_schema: { type: 'object', properties: { path: { type: 'string' } } },
}
const TWO_READS = {
  text: 'I read.',
  calls: [
    { tool: 'read', args: { path: 'a' } },
    { tool: 'read', args: { path: 'b' } },
  ],
}
const QUESTION: Messages = [{ role: 'user', content: 'Read both.' }]

function clientOf({ url }: ServedTeam, apiKey = 'none'): Anthropic {
  return new Anthropic({ baseURL: `${url}/anthropic`, apiKey, maxRetries: 0 })
}

function ask(
  client: Anthropic,
  messages: Messages,
  more: Partial<Anthropic.MessageCreateParamsNonStreaming> = {},
): Promise<Anthropic.Message> {
  return client.messages.create({ model: 'Coder', max_tokens: 100, messages, tools: [READ], ...more })
}

function callsOf({ content }: Anthropic.Message): readonly Anthropic.ToolUseBlock[] {
  return content.filter((block) => block.type === 'tool_use')
}

/** Returns the answer and a message with the results of its calls, followed by further blocks. */
function answerTo(message: Anthropic.Message, more: Anthropic.ContentBlockParam[] = []): Messages {
  const results = callsOf(message).map(({ id, input }) => ({
    type: 'tool_result' as const,
    tool_use_id: id,
    content: `text of ${(input as { readonly path?: string }).path ?? ''}`,
  }))
  return [
    { role: 'assistant', content: message.content as Anthropic.ContentBlockParam[] },
    { role: 'user', content: [...results, ...more] },
  ]
}

function textOf({ content }: Anthropic.Message): unknown {
  const [block] = content
  return block?.type === 'text' ? JSON.parse(block.text) : undefined
}

describe('client tools over the Anthropic API', () => {
  it('calls go out as tool_use blocks, and the results resume the run', async () => {
    const client = clientOf(await serveTeam(coder([TWO_READS])))
    const first = await ask(client, QUESTION)
    expect(first).toMatchObject({ stop_reason: 'tool_use', usage: { input_tokens: 10, output_tokens: 5 } })
    expect(first.content).toEqual([
      { type: 'text', text: 'I read.', citations: null },
      ...['a', 'b'].map((path) => ({
        type: 'tool_use',
        id: expect.stringMatching(/^[\w-]{1,64}$/u),
        name: 'read',
        input: { path },
      })),
    ])
    const second = await ask(client, [...QUESTION, ...answerTo(first)])
    expect(second.stop_reason).toBe('end_turn')
    expect(second.usage).toMatchObject({ input_tokens: 10, output_tokens: 5 })
    expect(textOf(second)).toEqual(['text of a', 'text of b'])
  })

  it('a stream has a block for each call after the text', async () => {
    const client = clientOf(await serveTeam(coder([TWO_READS])))
    const stream = client.messages.stream({
      model: 'Coder',
      max_tokens: 100,
      messages: QUESTION,
      tools: [READ],
    })
    const types: string[] = []
    for await (const event of stream) types.push(event.type)
    const block = ['content_block_start', 'content_block_delta', 'content_block_stop']
    expect(types).toEqual(['message_start', ...block, ...block, ...block, 'message_delta', 'message_stop'])
    const message = await stream.finalMessage()
    expect(message.stop_reason).toBe('tool_use')
    expect(callsOf(message).map(({ input }) => input)).toEqual([{ path: 'a' }, { path: 'b' }])
    const second = await ask(client, [...QUESTION, ...answerTo(message)])
    expect(textOf(second)).toEqual(['text of a', 'text of b'])
  })

  it('failed results, pictures and text after the results reach the model', async () => {
    const team = coder([TWO_READS])
    const client = clientOf(await serveTeam(team))
    const first = await ask(client, QUESTION)
    const [one, two] = callsOf(first)
    await ask(client, [
      ...QUESTION,
      { role: 'assistant', content: first.content as Anthropic.ContentBlockParam[] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: one?.id ?? '', content: 'No such file.', is_error: true },
          {
            type: 'tool_result',
            tool_use_id: two?.id ?? '',
            content: [
              { type: 'text', text: 'Look' },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
            ],
          },
          { type: 'text', text: 'Be brief.' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'BBBB' } },
        ],
      },
    ])
    const [results, message] = team.model.calls[1]?.prompt.slice(-2) ?? []
    expect(results?.content).toMatchObject([
      { output: { type: 'error-text', value: 'Error: No such file.' } },
      { output: { type: 'content', value: [{ text: 'Look' }, { mediaType: 'image/png' }] } },
    ])
    expect(message).toMatchObject({
      role: 'user',
      content: [{ text: 'Be brief.' }, { mediaType: 'image/png' }],
    })
  })

  it.each(['full', 'none'] as const)(
    'system messages are system text after the prompt of the agent, also those after results (store: %s)',
    async (store) => {
      const team = coder([TWO_READS, TWO_READS], { store })
      const client = clientOf(await serveTeam(team))
      const reminder = { role: 'system', content: 'Today is Monday.' } as unknown as Messages[number]
      const first = await ask(client, [...QUESTION, reminder], {
        system: [{ type: 'text', text: 'Be kind.' }],
      })
      const later = { role: 'system', content: 'Time is short.' } as unknown as Messages[number]
      const more = [...QUESTION, reminder, ...answerTo(first), later]
      const second = await ask(client, more, { system: 'Be kind.' })
      await ask(client, [...more, ...answerTo(second)], { system: 'Be kind.' })
      const prompts = team.model.calls.map(({ prompt }) => prompt)
      const [system, user] = prompts[0] ?? []
      const text = system?.role === 'system' ? system.content : ''
      expect(text).toMatch(/^Code\.\n\n.+\n\nBe kind\.\n\nToday is Monday\.$/u)
      expect(user?.content).toMatchObject([{ text: 'Read both.' }])
      expect(prompts[1]?.[0]?.content).toBe(`${text}\n\nTime is short.`)
      expect(prompts[1]?.at(-1)?.role).toBe('tool')
      expect(prompts[2]?.[0]).toEqual(prompts[1]?.[0])
    },
  )

  it('system messages of more than 262,144 characters are rejected', async () => {
    const client = clientOf(await serveTeam(coder([])))
    await expect(ask(client, QUESTION, { system: 'x'.repeat(262_145) })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('262144'),
    })
  })

  it('tools that Anthropic executes are not offered', async () => {
    const team = coder([{ text: 'Done.' }])
    const client = clientOf(await serveTeam(team))
    await ask(client, QUESTION, { tools: [READ, { type: 'web_search_20250305', name: 'web_search' }] })
    expect(team.model.calls[0]?.tools).toEqual(['note', 'read'])
  })

  it('`tool_choice` and its parallel switch are fulfilled', async () => {
    const team = coder([TWO_READS])
    const client = clientOf(await serveTeam(team))
    const more = { tool_choice: { type: 'any' as const, disable_parallel_tool_use: true } }
    const first = await ask(client, QUESTION, more)
    expect(team.model.calls[0]?.options.toolChoice).toEqual({ type: 'required' })
    expect(callsOf(first)).toHaveLength(1)
    const second = await ask(client, [...QUESTION, ...answerTo(first)])
    expect(callsOf(second).map(({ input }) => input)).toEqual([{ path: 'b' }])
  })

  it.each([
    [
      'a result that is missing',
      (first: Anthropic.Message): Messages => {
        const [answer, results] = answerTo(first)
        if (answer === undefined || !Array.isArray(results?.content)) throw new Error('There are no results.')
        return [answer, { role: 'user', content: results.content.slice(1) }]
      },
    ],
    [
      'a result of no call',
      (first: Anthropic.Message): Messages => {
        const text = JSON.stringify(answerTo(first))
        return JSON.parse(
          text.replaceAll(callsOf(first)[0]?.id ?? '', `call_${'0'.repeat(32)}_1-1-1`),
        ) as Messages
      },
    ],
  ])('%s is rejected in the format of the protocol', async (_, answer) => {
    const client = clientOf(await serveTeam(coder([TWO_READS])))
    const first = await ask(client, QUESTION)
    await expect(ask(client, [...QUESTION, ...answer(first)])).rejects.toMatchObject({
      status: 400,
      error: { type: 'error', error: { type: 'invalid_request_error' } },
    })
  })

  it('a tool with a hostile name is rejected in the format of the protocol', async () => {
    const client = clientOf(await serveTeam(coder([])))
    await expect(ask(client, QUESTION, { tools: [{ ...READ, name: 'a/b' }] })).rejects.toMatchObject({
      status: 400,
      error: { type: 'error', error: { type: 'invalid_request_error', message: /tools\.0/u } },
    })
  })

  it('results of a run that was cancelled start a new run if a message follows them', async () => {
    const served = await serveTeam(coder([TWO_READS]))
    const client = clientOf(served)
    const first = await ask(client, QUESTION)
    const [run] = await served.store.roots({ principal: 'local' })
    await fetch(`${served.url}/api/runs/${run?.rootRunId ?? ''}/stop`, { method: 'POST' })
    const messages = [...QUESTION, ...answerTo(first)]
    await expect(ask(client, messages)).rejects.toMatchObject({ status: 400 })
    const second = await ask(client, [...QUESTION, ...answerTo(first, [{ type: 'text', text: 'Go on.' }])])
    expect(textOf(second)).toEqual(['Go on.'])
  })
})
