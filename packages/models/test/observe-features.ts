import { APICallError, type LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { userMessage, type JsonObject, type LanguageModel, type Message } from '@troupe/schema'
import type { FakeAnswers, FakeProvider } from '@troupe/testkit'
import { onTestFinished } from 'vitest'
import { resolveModel, type ProviderConfig } from '../src/index.ts'
import { loop, pingTool, stream, timeTool } from './drive.ts'
import { contextAt, TOOLLESS_CASE, type ProviderCase } from './fakes.ts'
import type { Feature } from './provider-features.ts'

interface OpenedModel {
  readonly model: LanguageModel
  readonly fake: FakeProvider
}

/** Opens the model of a case at its fake, which closes when the test has finished. */
async function open(
  provider: ProviderCase,
  answers: FakeAnswers,
  { id = provider.id, config = {} }: { readonly id?: string; readonly config?: ProviderConfig } = {},
): Promise<OpenedModel> {
  const fake = await provider.start({ answers, apiKey: 'key' })
  onTestFinished(() => fake.close())
  const handle = await resolveModel(id, contextAt(provider, fake, 'key', config))
  return { model: handle.open({ agent: 'A', runId: 'r' }), fake }
}

/** Returns what a provider is seen to do, in the words of the table, by calls to its fake. */
export const OBSERVATIONS: Readonly<
  Record<Feature, (provider: ProviderCase, reasoningModel?: string) => Promise<string>>
> = {
  async tools(provider) {
    const { model } = await open(provider, [{ calls: [{ name: 'ping', args: {} }] }, { text: 'ok' }])
    try {
      const turns = await loop(model, { tools: [pingTool], answer: () => 'pong' })
      return turns.at(-1)?.text === 'ok' ? 'yes' : 'dropped'
    } catch {
      return 'no'
    }
  },

  async parallel(provider) {
    const calls = ['Rome', 'Oslo'].map((city) => ({ name: 'agent__Time', args: { city } }))
    const { model, fake } = await open(provider, [{ calls }, { text: 'ok' }])
    try {
      const [first] = await loop(model, {
        tools: [timeTool],
        answer: (args) => `noon in ${(args as { readonly city: string }).city}`,
      })
      const ids = new Set(first?.calls.map(({ id }) => id))
      const sent = JSON.stringify(fake.requests[1]?.body)
      const inOrder = sent.indexOf('noon in Rome') < sent.indexOf('noon in Oslo')
      return ids.size === 2 && sent.includes('noon in Rome') && inOrder ? 'yes' : 'dropped'
    } catch {
      return 'no'
    }
  },

  async stream(provider) {
    const { model } = await open(provider, [{ text: 'One answer in several pieces.' }])
    const { parts, text } = await stream(model)
    const pieces = parts.filter(({ type }) => type === 'text-delta')
    return text === 'One answer in several pieces.' && pieces.length > 1 ? 'yes' : 'no'
  },

  async reasoning(provider, id = provider.id) {
    const { model, fake } = await open(provider, [{ text: 'ok' }], { id })
    await stream(model, { reasoning: 'low' })
    const body = fake.requests[0]?.body as JsonObject
    return REASONING_FIELDS.find((path) => valueAt(body, path) !== undefined) ?? 'none'
  },

  async schema(provider) {
    const alone = await schemaForm(provider, [])
    if (alone !== 'native' || provider === TOOLLESS_CASE) return alone
    return (await schemaForm(provider, [pingTool])) === 'tool' ? 'native, tool beside tools' : alone
  },

  async cache(provider) {
    const usage = { input: 20, output: 1, cacheRead: 8 }
    const { model, fake } = await open(provider, [{ text: 'ok', usage }], { config: { promptCache: true } })
    const prompt: Message[] = [{ role: 'system', content: 'Be brief.' }, userMessage('hello')]
    const { finish } = await stream(model, { prompt })
    const sent = JSON.stringify(fake.requests[0]?.body)
    const hint = /cache_?[cC]ontrol|cachePoint/u.test(sent)
      ? 'marks'
      : sent.includes('prompt_cache_key')
        ? 'key'
        : ''
    const { total, cacheRead } = finish.usage.inputTokens
    const reported = total === 20 && cacheRead === 8 ? 'reported' : ''
    return [hint, reported].filter((part) => part !== '').join(', ') || 'none'
  },

  async files(provider) {
    const fromUser = await acceptedFiles(provider)
    const fromTools = await imageInResult(provider)
    return fromTools === '' ? fromUser : `${fromUser}; ${fromTools}`
  },

  async errors(provider) {
    const kept: number[] = []
    for (const [status, isRetryable] of STATUSES) {
      const headers = { 'retry-after': '7' }
      const { model } = await open(provider, [{ status, message: 'said the provider', headers }])
      const thrown: unknown = await stream(model).catch((error: unknown) => error)
      if (
        APICallError.isInstance(thrown) &&
        thrown.statusCode === status &&
        thrown.isRetryable === isRetryable &&
        thrown.responseHeaders?.['retry-after'] === '7' &&
        thrown.message.includes('said the provider')
      )
        kept.push(status)
    }
    return kept.length === STATUSES.length ? 'yes' : kept.join(', ')
  },
}

/** Fields that set the reasoning effort in requests. */
const REASONING_FIELDS = [
  'reasoning_effort',
  'reasoning.effort',
  'thinking',
  'additionalModelRequestFields.thinking',
  'generationConfig.thinkingConfig',
  'think',
] as const
const STATUSES = [
  [400, false],
  [401, false],
  [429, true],
  [500, true],
  [503, true],
] as const

function valueAt(body: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce((value, key) => (value as Readonly<Record<string, unknown>> | undefined)?.[key], body)
}

const PLACE: JsonObject = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}

/** Returns how the schema of an answer is sent: in a field of the API, or as the last of the tools. */
async function schemaForm(
  provider: ProviderCase,
  tools: NonNullable<LanguageModelV4CallOptions['tools']>,
): Promise<'native' | 'tool' | 'none'> {
  const hasFinalTool = (body: unknown): boolean => JSON.stringify(body).includes('final_answer')
  const { model, fake } = await open(provider, ({ body }) =>
    hasFinalTool(body)
      ? { calls: [{ name: 'final_answer', args: { city: 'Rome' } }] }
      : { text: '{"city":"Rome"}' },
  )
  const { text } = await stream(model, {
    tools,
    responseFormat: { type: 'json', name: 'place', schema: PLACE },
  })
  if (text !== '{"city":"Rome"}') return 'none'
  const body = fake.requests[0]?.body
  if (hasFinalTool(body)) return 'tool'
  return JSON.stringify(body).includes('"city"') ? 'native' : 'none'
}

const FILES = [
  ['images', 'image/png', 'iVBORw0KGgo='],
  ['PDF', 'application/pdf', 'JVBERi0xLjc='],
  ['audio', 'audio/wav', 'UklGRiQAAABXQVZF'],
] as const

/** Returns the kinds of files that a user can send. */
async function acceptedFiles(provider: ProviderCase): Promise<string> {
  const accepted: string[] = []
  for (const [name, mediaType, data] of FILES) {
    const { model, fake } = await open(provider, [{ text: 'ok' }])
    const content = [
      { type: 'text', text: 'Look.' },
      { type: 'file', mediaType, data: { type: 'data', data } },
    ] as const
    try {
      await stream(model, { prompt: [{ role: 'user', content: [...content] }] })
    } catch {
      continue
    }
    if (JSON.stringify(fake.requests[0]?.body).includes(data)) accepted.push(name)
  }
  return accepted.join(', ') || 'none'
}

/** Returns whether an image in the result of a tool is sent inside of the result. */
async function imageInResult(provider: ProviderCase): Promise<string> {
  const [[, mediaType, data]] = FILES
  const image = { type: 'file', mediaType, data: { type: 'data', data } } as const
  const call = { toolCallId: 'call_1', toolName: 'ping' }
  const { model, fake } = await open(provider, [{ text: 'ok' }])
  try {
    await stream(model, {
      tools: [pingTool],
      prompt: [
        userMessage('Look.'),
        { role: 'assistant', content: [{ type: 'tool-call', ...call, input: {} }] },
        {
          role: 'tool',
          content: [{ type: 'tool-result', ...call, output: { type: 'content', value: [image] } }],
        },
      ],
    })
  } catch {
    return ''
  }
  const sent = JSON.stringify(fake.requests[0]?.body)
  if (!sent.includes(data)) return ''
  return sent.includes('[image 1 from ping]') ? '' : 'images in results'
}
