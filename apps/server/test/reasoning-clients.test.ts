import Anthropic from '@anthropic-ai/sdk'
import { defineAgent } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { serveTeam, type ServedTeam, type TeamToServe } from './support/serve-team.ts'

/** A team whose lead thinks, calls its scout, and thinks again before it answers. */
function thinkers(): TeamToServe {
  const lead = defineAgent({
    name: 'Lead',
    description: 'Leads.',
    instruction: 'Lead.',
    model: 'test/lead',
    agents: ['Scout'],
  })
  const scout = defineAgent({
    name: 'Scout',
    description: 'Scouts.',
    instruction: 'Scout.',
    model: 'test/scout',
  })
  return {
    cards: [lead, scout],
    models: {
      lead: scriptedModel((_, { index }) =>
        index === 0
          ? {
              reasoning: 'I ask first.',
              text: 'One moment.',
              calls: [{ tool: 'agent__Scout', args: { text: 'look\naround' } }],
            }
          : { reasoning: 'Now I know.', text: 'It is clear.' },
      ),
      scout: scriptedModel(() => ({ reasoning: 'Secret thoughts.', text: 'Clear.' })),
    },
  }
}

const SUMMARY = ['I ask first.', 'Calls Scout: look around\nScout: completed.\n\nNow I know.']

describe('reasoning over the Responses API', () => {
  function clientOf({ url }: ServedTeam): OpenAI {
    return new OpenAI({ baseURL: `${url}/openai/v1`, apiKey: 'none', maxRetries: 0 })
  }

  it('a stream has the summary of the agent, and what its children do, as items between the texts', async () => {
    const client = clientOf(await serveTeam(thinkers()))
    const stream = client.responses.stream({
      model: 'Lead',
      input: 'Look',
      reasoning: { summary: 'auto' },
    })
    const types: string[] = []
    const numbers: number[] = []
    for await (const event of stream) {
      numbers.push(event.sequence_number)
      if (types.at(-1) !== event.type) types.push(event.type)
    }
    const response = await stream.finalResponse()
    expect(response.output.map(({ type }) => type)).toEqual(['reasoning', 'message', 'reasoning', 'message'])
    expect(
      response.output.flatMap((item) =>
        item.type === 'reasoning' ? item.summary.map(({ text }) => text) : [],
      ),
    ).toEqual(SUMMARY)
    expect(response.output_text).toBe('One moment.\n\nIt is clear.')
    expect(new Set(response.output.map(({ id }) => id)).size).toBe(4)
    expect(response.reasoning?.summary).toBe('auto')
    expect(numbers).toEqual(numbers.map((_, index) => index))
    const reasoning = [
      'response.output_item.added',
      'response.reasoning_summary_part.added',
      'response.reasoning_summary_text.delta',
      'response.reasoning_summary_text.done',
      'response.reasoning_summary_part.done',
      'response.output_item.done',
    ]
    expect(types.slice(2, 8)).toEqual(reasoning)
  })

  it('a whole response has one item with the reasoning of the agent before its answer', async () => {
    const client = clientOf(await serveTeam(thinkers()))
    const response = await client.responses.create({
      model: 'Lead',
      input: 'Look',
      reasoning: { summary: 'detailed' },
    })
    expect(response.output).toMatchObject([
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'I ask first.\n\nNow I know.' }] },
      { type: 'message' },
    ])
    expect(response.output_text).toBe('It is clear.')
  })

  it('a client that asks for no summary gets no reasoning', async () => {
    const client = clientOf(await serveTeam(thinkers()))
    const whole = await client.responses.create({
      model: 'Lead',
      input: 'Look',
      reasoning: { effort: 'low' },
    })
    const stream = client.responses.stream({ model: 'Lead', input: 'Look' })
    for (const { output } of [whole, await stream.finalResponse()])
      expect(output.map(({ type }) => type)).toEqual(['message'])
  })

  it('an agent may get the reasoning of an earlier response back', async () => {
    const client = clientOf(await serveTeam(thinkers()))
    const first = await client.responses.create({
      model: 'Lead',
      input: 'Look',
      reasoning: { summary: 'auto' },
    })
    const again = await client.responses.create({
      model: 'Lead',
      store: false,
      input: [
        { role: 'user', content: 'Look' },
        ...(first.output as OpenAI.Responses.ResponseInput),
        { role: 'user', content: 'And now?' },
      ],
    })
    expect(again.status).toBe('completed')
  })
})

describe('reasoning over Chat Completions', () => {
  async function read(body: Partial<OpenAI.ChatCompletionCreateParamsStreaming>) {
    const { url } = await serveTeam(thinkers())
    const client = new OpenAI({ baseURL: `${url}/openai/v1`, apiKey: 'none' })
    const stream = await client.chat.completions.create({
      ...body,
      model: 'Lead',
      messages: [{ role: 'user', content: 'Look' }],
      stream: true,
    })
    let reasoning = ''
    let content = ''
    for await (const { choices } of stream) {
      const delta = choices[0]?.delta as { content?: string; reasoning_content?: string } | undefined
      reasoning += delta?.reasoning_content ?? ''
      content += delta?.content ?? ''
    }
    return { reasoning, content }
  }

  it('deltas have the reasoning of the agent, and with `reasoning_effort` what its children do', async () => {
    const content = 'One moment.\n\nIt is clear.'
    expect(await read({})).toEqual({ reasoning: 'I ask first.\n\nNow I know.', content })
    expect(await read({ reasoning_effort: 'high' })).toEqual({ reasoning: SUMMARY.join('\n\n'), content })
    expect(await read({ reasoning_effort: 'none' })).toEqual({ reasoning: '', content })
  })

  it('a whole completion has the reasoning if `reasoning_effort` is set', async () => {
    const { url } = await serveTeam(thinkers())
    const client = new OpenAI({ baseURL: `${url}/openai/v1`, apiKey: 'none' })
    const ask = async (more: object): Promise<unknown> => {
      const messages = [{ role: 'user' as const, content: 'Look' }]
      const { choices } = await client.chat.completions.create({ model: 'Lead', messages, ...more })
      return choices[0]?.message
    }
    expect(await ask({ reasoning_effort: 'low' })).toMatchObject({
      reasoning_content: expect.stringContaining('Now I know.'),
      content: 'It is clear.',
    })
    expect(await ask({})).not.toHaveProperty('reasoning_content')
  })
})

describe('thinking over Anthropic Messages', () => {
  function clientOf({ url }: ServedTeam): Anthropic {
    return new Anthropic({ baseURL: `${url}/anthropic`, apiKey: 'none', maxRetries: 0 })
  }
  const shared = {
    model: 'Lead',
    max_tokens: 4000,
    messages: [{ role: 'user' as const, content: 'Look' }],
  }

  it('a stream has signed blocks of thinking between the texts', async () => {
    const client = clientOf(await serveTeam(thinkers()))
    const stream = client.messages.stream({ ...shared, thinking: { type: 'enabled', budget_tokens: 1024 } })
    const indexes: number[] = []
    for await (const event of stream) if (event.type === 'content_block_start') indexes.push(event.index)
    const { content } = await stream.finalMessage()
    expect(content.map(({ type }) => type)).toEqual(['thinking', 'text', 'thinking', 'text'])
    expect(indexes).toEqual([0, 1, 2, 3])
    const blocks = content.flatMap((block) => (block.type === 'thinking' ? block : []))
    expect(blocks.map(({ thinking }) => thinking)).toEqual(SUMMARY)
    for (const { signature } of blocks) expect(signature).not.toBe('')
    const again = await client.messages.create({
      ...shared,
      messages: [...shared.messages, { role: 'assistant', content }, { role: 'user', content: 'And now?' }],
    })
    expect(again.content).toMatchObject([{ type: 'text', text: 'It is clear.' }])
  })

  it('thinking with `display: omitted` has empty signed blocks', async () => {
    const client = clientOf(await serveTeam(thinkers()))
    const thinking = { type: 'adaptive', display: 'omitted' } as Anthropic.ThinkingConfigParam
    const streamed = await client.messages.stream({ ...shared, thinking }).finalMessage()
    const whole = await client.messages.create({ ...shared, thinking })
    for (const { content } of [streamed, whole])
      expect(content[0]).toEqual({ type: 'thinking', thinking: '', signature: expect.stringMatching(/./u) })
  })

  it('a message without `thinking`, or with it disabled, has text alone', async () => {
    const client = clientOf(await serveTeam(thinkers()))
    const whole = await client.messages.create(shared)
    const streamed = await client.messages
      .stream({ ...shared, thinking: { type: 'disabled' } })
      .finalMessage()
    for (const { content } of [whole, streamed]) expect(content.map(({ type }) => type)).toEqual(['text'])
  })
})
