import { userMessage, type JsonObject, type Message } from '@troupe/schema'
import {
  startFakeAnthropic,
  startFakeAzure,
  startFakeBedrock,
  startFakeGoogle,
  startFakeMistral,
  startFakeOllama,
  startFakeOpenAI,
  type FakeAnswerUsage,
  type FakeProviderOptions,
} from '@troupe/testkit'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { resolveModel, type ProviderConfig } from '../src/index.ts'
import { contextOf } from './context.ts'
import { stream, timeTool, type Turn } from './drive.ts'

const STARTERS = {
  anthropic: startFakeAnthropic,
  google: startFakeGoogle,
  ollama: startFakeOllama,
  azure: startFakeAzure,
  bedrock: startFakeBedrock,
  mistral: startFakeMistral,
} as const
/** Configuration that a provider needs in addition to key and base URL. */
const NEEDED: Readonly<Record<string, (baseURL: string) => ProviderConfig>> = {
  azure: (baseURL) => ({ baseURL: `${baseURL}/v1` }),
  bedrock: () => ({ options: { region: 'eu-central-1' } }),
  mistral: () => ({ package: '@ai-sdk/mistral' }),
  xai: () => ({ package: '@ai-sdk/xai' }),
}
const EXTRA = ['reasoning', 'usage']

interface Sent {
  readonly body: JsonObject
  readonly turn: Turn
}

/** Returns the request of one call as it is sent. */
async function send(
  id: string,
  call: Parameters<typeof stream>[1] = {},
  options: { readonly config?: ProviderConfig; readonly usage?: FakeAnswerUsage } = {},
): Promise<Sent> {
  const provider = id.slice(0, id.indexOf('/'))
  const start: (options: FakeProviderOptions) => ReturnType<typeof startFakeOpenAI> =
    STARTERS[provider as keyof typeof STARTERS] ??
    STARTERS[options.config?.api as keyof typeof STARTERS] ??
    startFakeOpenAI
  const { usage } = options
  const fake = await start({
    answers: [{ text: 'ok', ...(usage === undefined ? {} : { usage }) }],
    ...(provider === 'openrouter' ? { extraFields: EXTRA } : {}),
  })
  onTestFinished(() => fake.close())
  const needed = NEEDED[provider]?.(fake.baseURL)
  const providers = {
    [provider]: { apiKey: 'key', baseURL: fake.baseURL, ...needed, ...options.config },
  }
  const handle = await resolveModel(id, contextOf({}, { providers }))
  const turn = await stream(handle.open({ agent: 'A', runId: 'r' }), call)
  return { body: fake.requests[0]?.body as JsonObject, turn }
}

describe(`the reasoning effort over the wire ${verifies('C34')}`, () => {
  it.each<[string, ProviderConfig, JsonObject]>([
    ['openai/gpt-5-mini', {}, { reasoning_effort: 'low' }],
    ['openai/gpt-5-mini', { api: 'responses' }, { reasoning: { effort: 'low' } }],
    ['anthropic/claude-sonnet-4-5', {}, { thinking: { type: 'enabled' } }],
    ['google/gemini-2.5-flash', {}, { generationConfig: { thinkingConfig: { includeThoughts: true } } }],
    ['openrouter/deepseek/deepseek-r1', {}, { reasoning: { effort: 'low' } }],
    ['openai-compatible/local', {}, { reasoning_effort: 'low' }],
    ['ollama/qwen3', {}, { think: true }],
    ['nova/local', {}, { reasoning_effort: 'low' }],
    ['nova/gpt-5-mini', { api: 'responses' }, { reasoning: { effort: 'low' } }],
    ['nova/claude-sonnet-4-5', { api: 'anthropic' }, { thinking: { type: 'enabled' } }],
    ['azure/my-own-deployment', {}, { reasoning: { effort: 'low' } }],
    ['azure/my-own-deployment', { api: 'chat' }, { reasoning_effort: 'low' }],
    ['xai/grok-4.3', {}, { reasoning: { effort: 'low' } }],
    ['mistral/mistral-small-latest', {}, { reasoning_effort: 'high' }],
    ['cohere/qwen3', {}, { reasoning_effort: 'low' }],
    ['together/qwen3', {}, { reasoning_effort: 'low' }],
    ['fireworks/qwen3', {}, { reasoning_effort: 'low' }],
    ['cerebras/qwen3', {}, { reasoning_effort: 'low' }],
    ['perplexity/qwen3', {}, { reasoning_effort: 'low' }],
    ['lmstudio/qwen3', {}, { reasoning_effort: 'low' }],
    ['vllm/qwen3', {}, { reasoning_effort: 'low' }],
    ['llamacpp/qwen3', {}, { reasoning_effort: 'low' }],
    [
      'bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
      {},
      { additionalModelRequestFields: { thinking: { type: 'enabled' } } },
    ],
  ])('the reasoning effort is sent in the words of %s (%j)', async (id, config, words) => {
    expect((await send(id, { reasoning: 'low' }, { config })).body).toMatchObject(words)
    expect((await send(`${id}?reasoning=low`, { reasoning: 'high' }, { config })).body).toMatchObject(words)
  })

  it.each<[string, JsonObject]>([
    ['anthropic/claude-sonnet-4-5', { thinking: { type: 'enabled', budget_tokens: 4000 } }],
    ['google/gemini-2.5-flash', { generationConfig: { thinkingConfig: { thinkingBudget: 4000 } } }],
    ['openrouter/deepseek/deepseek-r1', { reasoning: { max_tokens: 4000 } }],
    ['openai/gpt-5-mini', { reasoning_effort: 'medium' }],
    [
      'bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
      { additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 4000 } } },
    ],
  ])('the reasoning effort may be a token budget at %s', async (id, words) => {
    expect((await send(`${id}?reasoning=4000`)).body).toMatchObject(words)
    const asked = { providerOptions: { troupe: { reasoningBudget: 4000 } } }
    expect((await send(id, asked)).body).toMatchObject(words)
  })

  it('a token budget of zero is sent as the lowest reasoning effort', async () => {
    expect((await send('openai/gpt-5-mini?reasoning=0')).body).toMatchObject({ reasoning_effort: 'minimal' })
  })
})

describe('prompt caching', () => {
  const prompt = [{ role: 'system' as const, content: 'Be brief.' }, userMessage('hello')]
  const mark = { cache_control: { type: 'ephemeral' } }

  it('prompt caching for Anthropic marks the system message, and the conversation of an agent with tools', async () => {
    const { body } = await send('anthropic/claude-sonnet-4-5', { prompt, tools: [timeTool] })
    expect(body).toMatchObject({
      system: [{ text: 'Be brief.', ...mark }],
      messages: [{ content: [{ text: 'hello', ...mark }] }],
    })
  })

  it('prompt caching on Bedrock marks the same messages, for models that have it', async () => {
    const point = { cachePoint: { type: 'default' } }
    const call = { prompt, tools: [timeTool] }
    const { body } = await send('bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0', call)
    expect(body).toMatchObject({
      system: [{ text: 'Be brief.' }, point],
      messages: [{ content: [{ text: 'hello' }, point] }],
    })
    const other = await send('bedrock/meta.llama3-3-70b-instruct-v1:0', call)
    expect(JSON.stringify(other.body)).not.toContain('cachePoint')
  })

  it.each(['azure/my-gpt', 'xai/grok-4', 'mistral/mistral-large-latest'])(
    'prompt caching at %s has a key',
    async (id) => {
      const { body } = await send(id, { prompt }, { config: { promptCache: true } })
      expect(body['prompt_cache_key']).toMatch(/^[0-9a-f]{32}$/u)
    },
  )

  it('prompt caching ends with the system message if nothing follows', async () => {
    const { body } = await send('anthropic/claude-sonnet-4-5', { prompt })
    expect(body).toMatchObject({ system: [mark] })
    expect(JSON.stringify(body['messages'])).not.toContain('cache_control')
  })

  it('prompt caching is also used for Claude at OpenRouter', async () => {
    const { body } = await send('openrouter/anthropic/claude-sonnet-4.5', { prompt, tools: [timeTool] })
    expect(JSON.stringify(body['messages']).match(/cache_control/gu)).toHaveLength(2)
    const other = await send('openrouter/meta/llama', { prompt, tools: [timeTool] })
    expect(JSON.stringify(other.body)).not.toContain('cache_control')
  })

  it('prompt caching at OpenAI has a key that is the same for the same beginning', async () => {
    const config = { promptCache: true }
    const keyOf = async (system: string): Promise<unknown> => {
      const call = { prompt: [{ role: 'system' as const, content: system }, userMessage(`${Math.PI}`)] }
      return (await send('openai/gpt-5-mini', call, { config })).body['prompt_cache_key']
    }
    const key = await keyOf('Be brief.')
    expect(key).toMatch(/^[0-9a-f]{32}$/u)
    expect(await keyOf('Be brief.')).toBe(key)
    expect(await keyOf('Be long.')).not.toBe(key)
  })

  it('prompt caching is not used for OpenAI-compatible servers, or if it is switched off', async () => {
    expect((await send('openai/gpt-5-mini', { prompt })).body['prompt_cache_key']).toBeUndefined()
    const off = await send('anthropic/claude-sonnet-4-5', { prompt }, { config: { promptCache: false } })
    expect(JSON.stringify(off.body)).not.toContain('cache_control')
  })
})

const RESULTS: readonly Message[] = [
  userMessage('hello'),
  {
    role: 'assistant',
    content: [{ type: 'tool-call', toolCallId: 'call_1', toolName: 'agent__Time', input: {} }],
  },
  {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId: 'call_1',
        toolName: 'agent__Time',
        output: { type: 'text', value: 'noon' },
      },
    ],
  },
]

it('an answer is added between tool results and a message of the user for Mistral, which rejects the latter', async () => {
  const prompt = [...RESULTS, userMessage('And in Oslo?')]
  const { body } = await send('mistral/mistral-large-latest', { prompt, tools: [timeTool] })
  expect(body).toMatchObject({
    messages: [
      { role: 'user' },
      { role: 'assistant' },
      { role: 'tool' },
      { role: 'assistant' },
      { role: 'user' },
    ],
  })
})

it('tool results are sent to Bedrock as text if no tool may be called, and are not dropped', async () => {
  const id = 'bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0'
  const { body } = await send(id, { prompt: [...RESULTS], tools: [timeTool], toolChoice: { type: 'none' } })
  expect(body).not.toHaveProperty('toolConfig')
  expect(JSON.stringify(body['messages'])).toContain('[agent__Time returned] noon')
})

it.each([
  ['openai/gpt-5-mini', { api: 'responses' }],
  ['azure/my-gpt', {}],
  ['xai/grok-4', {}],
] as const)('requests and answers are not stored at %s', async (id, config) => {
  expect((await send(id, {}, { config })).body).toMatchObject({ store: false })
})

describe('the context window of a model', () => {
  it('the context window is sent to Ollama, which would use a small one', async () => {
    const config = { models: { qwen3: { contextWindow: 16_384 } } }
    const { body } = await send('ollama/qwen3', { maxOutputTokens: 99 }, { config })
    expect(body).toMatchObject({ options: { num_ctx: 16_384, num_predict: 99 } })
    expect((await send('ollama/qwen3', {}, { config })).body).toMatchObject({ options: { num_ctx: 16_384 } })
  })
})

describe('the usage that a provider reports', () => {
  it.each([
    ['openai/gpt-5-mini', { input: 100, output: 20, cacheRead: 60, reasoning: 5 }],
    ['anthropic/claude-sonnet-4-5', { input: 100, output: 20, cacheRead: 60, cacheWrite: 30 }],
    ['google/gemini-2.5-flash', { input: 100, output: 20, cacheRead: 60, reasoning: 5 }],
  ])('the usage contains cached and reasoning tokens of %s', async (id, usage) => {
    const { turn } = await send(id, {}, { usage })
    const { inputTokens, outputTokens } = turn.finish.usage
    expect(inputTokens).toMatchObject({ total: 100, cacheRead: 60 })
    expect(outputTokens.total).toBe(20)
    expect(inputTokens.cacheWrite ?? 0).toBe('cacheWrite' in usage ? 30 : 0)
    expect(outputTokens.reasoning ?? 0).toBe('reasoning' in usage ? 5 : 0)
  })
})
