import Anthropic from '@anthropic-ai/sdk'
import { defineAgent, type Citation, type RunReport } from '@troupe/schema'
import {
  startFakeAnthropic,
  startFakeGoogle,
  startFakeOpenAI,
  type FakeAnswer,
  type FakeProvider,
  type FakeProviderOptions,
} from '@troupe/testkit'
import { DefaultChatTransport, type UIMessageChunk } from 'ai'
import OpenAI from 'openai'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connect as connectA2A, message, send, words } from './support/a2a-client.ts'
import { connectMcp } from './support/connect-mcp.ts'
import { serveTeam, type ServedTeam } from './support/serve-team.ts'

const NEWS = { url: 'https://news.example/a', title: 'News', start: 0, end: 13 }
const RAIN = { url: 'https://rain.example/b', title: 'Rain', start: 14, end: 22, quote: 'It rains.' }
const TEXT = 'It is Tuesday. It rains.'
const ANSWER: FakeAnswer = { searches: ['news'], text: TEXT, citations: [NEWS, RAIN] }

/** Annotations of the answer, in a text that begins with `offset` other characters. */
const annotations = (offset = 0): readonly object[] =>
  [NEWS, RAIN].map(({ url, title, start, end }) => ({
    url,
    title,
    start_index: start + offset,
    end_index: end + offset,
  }))

interface Reader extends ServedTeam {
  readonly openai: OpenAI
  readonly anthropic: Anthropic
}

/** Serves an agent whose provider searches the web and cites pages. */
async function serveReader(
  answers: FakeProviderOptions['answers'] = () => ANSWER,
  start: (options: FakeProviderOptions) => Promise<FakeProvider> = startFakeOpenAI,
  model = 'openai/gpt-5-mini',
): Promise<Reader> {
  const provider = await start({ answers })
  onTestFinished(() => provider.close())
  const [name = ''] = model.split('/')
  const api = name === 'openai' ? { api: 'responses' } : {}
  const agent = defineAgent({
    name: 'Reader',
    description: 'Reads.',
    instruction: 'Read.',
    model,
    providerTools: ['web_search'],
  })
  const served = await serveTeam({
    cards: [agent],
    hostOptions: {
      config: { providers: { [name]: { baseURL: provider.baseURL, apiKey: 'key-of-reader', ...api } } },
    },
  })
  return {
    ...served,
    openai: new OpenAI({ baseURL: `${served.url}/openai/v1`, apiKey: 'none' }),
    anthropic: new Anthropic({ baseURL: `${served.url}/anthropic`, apiKey: 'none' }),
  }
}

async function reportOf({ url }: ServedTeam): Promise<RunReport> {
  const response = await fetch(`${url}/v1/Reader?q=Hi`, { headers: { accept: 'application/json' } })
  return (await response.json()) as RunReport
}

describe('citations of provider-executed tools', () => {
  it('the report has the pages that OpenAI cites, with their places in the text', async () => {
    const { output } = await reportOf(await serveReader())
    expect(output).toEqual({
      format: 'text',
      text: TEXT,
      citations: [NEWS, RAIN].map(({ url, title, start, end }) => ({
        url,
        title,
        startIndex: start,
        endIndex: end,
      })),
    })
  })

  it('the report has the pages that Anthropic cites, with the cited text', async () => {
    const reader = await serveReader(
      () => ({ text: TEXT, citations: [RAIN] }),
      startFakeAnthropic,
      'anthropic/claude-sonnet-4-5',
    )
    const expected: Citation = {
      url: RAIN.url,
      title: RAIN.title,
      startIndex: 0,
      endIndex: TEXT.length,
      citedText: RAIN.quote,
    }
    expect((await reportOf(reader)).output.citations).toEqual([expected])
    const { content } = await reader.anthropic.messages.create({
      model: 'Reader',
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Hi' }],
    })
    expect(content).toMatchObject([{ text: TEXT, citations: [{ cited_text: RAIN.quote, url: RAIN.url }] }])
  })

  it('the report has the pages that Google found, without places, and they support the whole text', async () => {
    const reader = await serveReader(() => ANSWER, startFakeGoogle, 'google/gemini-2.5-flash')
    expect((await reportOf(reader)).output.citations).toEqual(
      [NEWS, RAIN].map(({ url, title }) => ({ url, title })),
    )
    const { output } = await reader.openai.responses.create({ model: 'Reader', input: 'Hi' })
    expect(output).toMatchObject([
      { content: [{ annotations: [{ start_index: 0, end_index: TEXT.length }, { url: RAIN.url }] }] },
    ])
  })

  it('responses have citations as annotations: whole, streamed, and read again', async () => {
    const { openai } = await serveReader()
    const expected = annotations().map((annotation) => ({ type: 'url_citation', ...annotation }))
    const whole = await openai.responses.create({ model: 'Reader', input: 'Hi' })
    const again = await openai.responses.retrieve(whole.id)
    const stream = openai.responses.stream({ model: 'Reader', input: 'Hi' })
    const added: unknown[] = []
    stream.on('response.output_text.annotation.added' as 'event', (event) => void added.push(event))
    const streamed = await stream.finalResponse()
    for (const { output } of [whole, again, streamed])
      expect(output).toMatchObject([
        { content: [{ type: 'output_text', text: TEXT, annotations: expected }] },
      ])
    expect(added).toMatchObject(
      expected.map((annotation, index) => ({ annotation, annotation_index: index, content_index: 0 })),
    )
  })

  it('chat completions have citations as annotations: whole and streamed', async () => {
    const { openai } = await serveReader()
    const request = { model: 'Reader', messages: [{ role: 'user' as const, content: 'Hi' }] }
    const expected = annotations().map((annotation) => ({ type: 'url_citation', url_citation: annotation }))
    const { choices } = await openai.chat.completions.create(request)
    expect(choices).toMatchObject([{ message: { content: TEXT, annotations: expected } }])
    const deltas: unknown[] = []
    for await (const chunk of await openai.chat.completions.create({ ...request, stream: true }))
      deltas.push(...chunk.choices.flatMap(({ delta }) => ('annotations' in delta ? delta.annotations : [])))
    expect(deltas).toEqual(expected)
  })

  it('the places of citations in a stream follow the texts of earlier turns', async () => {
    const agent = defineAgent({ name: 'Echo', description: 'e', instruction: 'e', model: 'passthrough' })
    const provider = await startFakeOpenAI({
      answers: [{ text: 'First.', calls: [{ name: 'agent__Echo', args: { message: 'Hi' } }] }, ANSWER],
    })
    onTestFinished(() => provider.close())
    const reader = defineAgent({
      name: 'Reader',
      description: 'r',
      instruction: 'r',
      model: 'openai/gpt-5-mini',
      providerTools: ['web_search'],
      agents: ['Echo'],
      default: true,
    })
    const { url } = await serveTeam({
      cards: [reader, agent],
      hostOptions: {
        config: { providers: { openai: { baseURL: provider.baseURL, apiKey: 'k', api: 'responses' } } },
      },
    })
    const openai = new OpenAI({ baseURL: `${url}/openai/v1`, apiKey: 'none' })
    const { output } = await openai.responses.stream({ model: 'Reader', input: 'Hi' }).finalResponse()
    const text = `First.\n\n${TEXT}`
    expect(output).toMatchObject([
      { content: [{ text, annotations: annotations(text.length - TEXT.length) }] },
    ])
  })

  it('Anthropic messages have citations on their text: whole and streamed', async () => {
    const { anthropic } = await serveReader()
    const request = {
      model: 'Reader',
      max_tokens: 100,
      messages: [{ role: 'user' as const, content: 'Hi' }],
    }
    const expected = [NEWS, RAIN].map(({ url, title }) => ({
      type: 'web_search_result_location',
      url,
      title,
      cited_text: '',
      encrypted_index: '',
    }))
    const whole = await anthropic.messages.create(request)
    const streamed = await anthropic.messages.stream(request).finalMessage()
    for (const { content } of [whole, streamed])
      expect(content).toEqual([{ type: 'text', text: TEXT, citations: expected }])
  })

  it('AI SDK messages have a part for each cited page', async () => {
    const { url } = await serveReader(() => ({ ...ANSWER, citations: [NEWS, RAIN, { ...NEWS, start: 1 }] }))
    const transport = new DefaultChatTransport({ api: `${url}/api/chat` })
    const stream = await transport.sendMessages({
      chatId: 'chat',
      trigger: 'submit-message',
      messageId: undefined,
      messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }],
      abortSignal: undefined,
    })
    const chunks: UIMessageChunk[] = []
    for await (const chunk of stream as unknown as AsyncIterable<UIMessageChunk>) chunks.push(chunk)
    expect(chunks.filter(({ type }) => type === 'source-url')).toMatchObject([
      { url: NEWS.url, title: NEWS.title },
      { url: RAIN.url, title: RAIN.title },
    ])
  })

  it('MCP results have a link to each cited page, and A2A tasks have citations in their metadata', async () => {
    const reader = await serveReader()
    const mcp = await connectMcp('modern', reader)
    expect((await mcp.call({ input: 'Hi', format: 'text' }, 'Reader')).content).toMatchObject([
      { type: 'text', text: TEXT },
      { type: 'resource_link', uri: NEWS.url, name: NEWS.title },
      { type: 'resource_link', uri: RAIN.url, name: RAIN.title },
    ])
    const a2a = await connectA2A('1.0', reader, { agent: 'Reader' })
    expect(await send(a2a, message([words('Hi')]))).toMatchObject({
      metadata: { citations: [{ url: NEWS.url, startIndex: 0 }, { url: RAIN.url }] },
    })
  })

  it('a resumed and a replayed run have the citations of the recorded answer', async () => {
    const { host } = await serveReader()
    let recording = ''
    const first = await host.run('Reader', 'Hi', {
      record: (text) => {
        recording = text
      },
    })
    expect(first.output.citations).toHaveLength(2)
    expect((await host.replay(recording)).output).toEqual(first.output)
    expect((await host.resume(first.runId)).output).toEqual(first.output)
  })

  it('a citation of other than a web page is left out, and the number and length of citations are limited', async () => {
    const bad = [
      'javascript:alert(1)',
      'file:///etc/passwd',
      'nothing',
      `https://a.example/${'x'.repeat(2048)}`,
    ]
    const many = Array.from({ length: 120 }, (_, index) => ({
      ...NEWS,
      url: `https://a.example/${index}`,
      title: 't'.repeat(600),
      start: index === 0 ? 500 : 0,
    }))
    const { output } = await reportOf(
      await serveReader(() => ({
        text: TEXT,
        citations: [...bad.map((url) => ({ ...NEWS, url })), ...many],
      })),
    )
    expect(output.citations).toHaveLength(100)
    expect(output.citations?.[0]).toEqual({ url: 'https://a.example/0', title: 't'.repeat(500) })
    expect(output.citations?.at(-1)?.url).toBe('https://a.example/99')
  })
})
