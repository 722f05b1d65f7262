import type { LanguageModelV4ProviderTool } from '@ai-sdk/provider'
import {
  startFakeAnthropic,
  startFakeAzure,
  startFakeGoogle,
  startFakeGroq,
  startFakeOllama,
  startFakeOpenAI,
  type FakeProvider,
  type FakeProviderOptions,
} from '@troupe/testkit'
import { describe, expect, it, onTestFinished } from 'vitest'
import { checkModel, resolveModel, unsupportedProviderTool, type ProviderConfig } from '../src/index.ts'
import { contextOf } from './context.ts'
import { stream, timeTool, type Turn } from './drive.ts'

type Start = (options: FakeProviderOptions) => Promise<FakeProvider>

const own = (name: string): LanguageModelV4ProviderTool => ({
  type: 'provider',
  id: `troupe.${name}`,
  name,
  args: {},
})

/** Sends one call with these tools and returns the tools that the provider received. */
async function send(
  id: string,
  tools: NonNullable<Parameters<typeof stream>[1]>['tools'] & object,
  { start, config = {} }: { readonly start: Start; readonly config?: ProviderConfig },
): Promise<{ readonly tools: unknown; readonly turn: Turn }> {
  const fake = await start({ answers: [{ text: 'ok' }] })
  onTestFinished(() => fake.close())
  const provider = id.slice(0, id.indexOf('/'))
  const baseURL = provider === 'azure' ? `${fake.baseURL}/v1` : fake.baseURL
  const providers = { [provider]: { apiKey: 'key', baseURL, ...config } }
  const handle = await resolveModel(id, contextOf({}, { providers }))
  const turn = await stream(handle.open({ agent: 'A', runId: 'r' }), { tools })
  return { tools: (fake.requests[0]?.body as { readonly tools?: unknown } | undefined)?.tools, turn }
}

const RESPONSES: ProviderConfig = { api: 'responses' }
const XAI: ProviderConfig = { package: '@ai-sdk/xai' }
const GROQ: ProviderConfig = { package: '@ai-sdk/groq' }

describe('tools that the provider executes', () => {
  it.each<[string, string, object, Start, ProviderConfig]>([
    ['openai/gpt-5-mini', 'web_search', { type: 'web_search' }, startFakeOpenAI, RESPONSES],
    ['openai/gpt-5-mini', 'code_execution', { type: 'code_interpreter' }, startFakeOpenAI, RESPONSES],
    ['azure/my-gpt', 'web_search', { type: 'web_search' }, startFakeAzure, {}],
    ['anthropic/claude-sonnet-4-5', 'web_search', { type: 'web_search_20250305' }, startFakeAnthropic, {}],
    ['anthropic/claude-sonnet-4-5', 'web_fetch', { type: 'web_fetch_20250910' }, startFakeAnthropic, {}],
    [
      'anthropic/claude-sonnet-4-5',
      'code_execution',
      { type: 'code_execution_20250825' },
      startFakeAnthropic,
      {},
    ],
    ['google/gemini-2.5-flash', 'web_search', { googleSearch: {} }, startFakeGoogle, {}],
    ['google/gemini-2.5-flash', 'web_fetch', { urlContext: {} }, startFakeGoogle, {}],
    ['google/gemini-2.5-flash', 'code_execution', { codeExecution: {} }, startFakeGoogle, {}],
    ['xai/grok-4', 'web_search', { type: 'web_search' }, startFakeOpenAI, XAI],
    ['xai/grok-4', 'code_execution', { type: 'code_interpreter' }, startFakeOpenAI, XAI],
    ['groq/openai/gpt-oss-120b', 'web_search', { type: 'browser_search' }, startFakeGroq, GROQ],
  ])('%s gets %s in its own words', async (id, name, words, start, config) => {
    const { tools } = await send(id, [own(name)], { start, config })
    expect(tools).toMatchObject([words])
  })

  it('tools of the provider are sent together with other tools', async () => {
    const start = startFakeAnthropic
    const { tools } = await send('anthropic/claude-sonnet-4-5', [timeTool, own('web_search')], { start })
    expect(tools).toMatchObject([{ name: 'agent__Time' }, { type: 'web_search_20250305' }])
  })

  it.each<[string, string, Start, ProviderConfig]>([
    ['openai/gpt-5-mini', 'web_search', startFakeOpenAI, { api: 'chat' }],
    ['openai/gpt-5-mini', 'web_fetch', startFakeOpenAI, RESPONSES],
    ['openai-compatible/local', 'web_search', startFakeOpenAI, {}],
    ['ollama/llama3', 'web_search', startFakeOllama, {}],
    ['anthropic/claude-sonnet-4-5', 'constructor', startFakeAnthropic, {}],
  ])('%s refuses %s, which it does not have', async (id, name, start, config) => {
    await expect(send(id, [own(name)], { start, config })).rejects.toMatchObject({
      failure: { code: 'card_bad_value', message: expect.stringContaining(`${id} does not execute ${name}`) },
    })
  })

  it('a tool of the provider that an adapter leaves out fails the call', async () => {
    const start = startFakeGoogle
    await expect(
      send('google/gemini-2.5-flash', [timeTool, own('web_search')], { start }),
    ).rejects.toMatchObject({
      failure: { code: 'model_bad_request', message: expect.stringContaining('combination') },
    })
  })

  it('a check names a tool that the provider of a model does not have, without a call', () => {
    const context = contextOf({ OPENAI_API_KEY: 'key-1', ANTHROPIC_API_KEY: 'key-2' })
    const refusalOf = (id: string): string | undefined =>
      unsupportedProviderTool(checkModel(id, context), ['web_search', 'web_fetch'])?.message
    expect(refusalOf('openai/gpt-5')).toBe(
      'providerTools: the provider of openai/gpt-5 does not execute web_fetch.',
    )
    expect(refusalOf('ollama/llama3')).toContain('does not execute web_search')
    expect(refusalOf('anthropic/claude-sonnet-4-5')).toBeUndefined()
    expect(refusalOf('passthrough')).toBeUndefined()
  })
})
