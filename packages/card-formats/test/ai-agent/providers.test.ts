import type { JsonObject } from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import { ai, read } from './project.ts'

describe('the providers of ai-agent', () => {
  const models = 'models: [house/big, anthropic/claude-x]\ntemperature: 0.5\ntopP: 1'

  it('a provider is defined for the models of the card, with the size and reasoning of its models', async () => {
    const { providers, problems } = await read({
      'team/a.ai': ai(models),
      '.ai-agent.json': {
        providers: {
          house: {
            type: 'openai-compatible',
            baseUrl: 'http://localhost:9/v1',
            apiKey: '${HOUSE_KEY}',
            headers: { 'x-team': 'a' },
            contextWindow: 1000,
            models: { big: { reasoning: null } },
          },
          anthropic: {
            type: 'anthropic',
            apiKey: '${KEY}',
            custom: { stream: true, provider: { data_collection: 'deny' } },
            mergeStrategy: 'overlay',
          },
          unused: { type: 'unheard-of' },
        },
      },
    })
    expect(problems).toEqual([])
    expect(providers).toEqual({
      house: {
        apiKey: '${HOUSE_KEY}',
        baseURL: 'http://localhost:9/v1',
        headers: { 'x-team': 'a' },
        api: 'chat',
        models: { big: { contextWindow: 1000, reasoning: 'none' }, '*': { contextWindow: 1000 } },
      },
      anthropic: { apiKey: '${KEY}', body: { provider: { data_collection: 'deny' } } },
    })
  })

  it('prices of models are those of `pricing`, per million tokens', async () => {
    const { providers } = await read({
      'team/a.ai': ai(models),
      '.ai-agent.json': {
        providers: { anthropic: {} },
        pricing: {
          anthropic: {
            'claude-x': {
              unit: 'per_1k',
              currency: 'USD',
              prompt: 0.003,
              completion: 0.015,
              cacheRead: 0.001,
            },
            'claude-y': { currency: 'EUR', prompt: 1, completion: 2 },
          },
        },
      },
    })
    expect(providers?.['anthropic']).toEqual({
      prices: { 'claude-x': { input: 3, output: 15, cacheRead: 1 } },
    })
  })

  it.each([
    ['responses', {}],
    ['chat', { openaiMode: 'chat' }],
  ])('the API of a provider of type openai is that of openaiMode: %s', async (api, mode) => {
    const { providers } = await read({
      'team/a.ai': ai(models),
      '.ai-agent.json': { providers: { house: { type: 'openai', ...mode } } },
    })
    expect(providers?.['house']).toEqual({ baseURL: 'https://api.openai.com/v1', api })
  })

  it('an override of a model applies to the settings of the card', async () => {
    const { definition } = await read({
      'team/a.ai': ai(models),
      '.ai-agent.json': {
        providers: {
          anthropic: { models: { 'claude-x': { overrides: { top_p: null, temperature: 0.1 } } } },
        },
      },
    })
    expect(definition?.settings).toEqual({ temperature: 0.1, maxOutputTokens: 4096 })
  })

  it.each([
    [{ type: 'test-llm' }, 'the type "test-llm"'],
    [{ type: 'openai', toolsAllowed: ['read'] }, 'limits the tools of its models'],
    [{ type: 'openai', apikey: 'x' }, 'the unknown key `apikey`'],
    [{ type: 'openai', models: { big: { context: 1 } } }, 'the unknown key `models.big.context`'],
    [{ type: 'openai', models: { big: { overrides: { seed: 1 } } } }, '`models.big.overrides.seed`'],
  ])('a provider that Troupe cannot honour is an error: %j', async (house, message) => {
    const { definition, problems } = await read({
      'team/a.ai': ai(models),
      '.ai-agent.json': { providers: { house } },
    })
    expect(definition).toBeUndefined()
    expect(problems[0]?.message).toContain(message)
  })

  it.each<[JsonObject, readonly string[]]>([
    [
      { custom: { providerOptions: { ollama: { think: true } } } },
      ['providers.house.custom.providerOptions'],
    ],
    [{ custom: {}, contextWindowBufferTokens: 8192, reasoningValue: null }, []],
    [{ contextWindowBufferTokens: 100 }, ['providers.house.contextWindowBufferTokens']],
    [
      { models: { big: { overrides: { top_k: 1, repeat_penalty: null } } } },
      ['providers.house.models.big.overrides.top_k'],
    ],
  ])('settings that are not sent to the provider cause a warning: %j', async (settings, keys) => {
    const { definition, problems } = await read({
      'team/a.ai': ai(models),
      '.ai-agent.json': { providers: { house: { type: 'openai', ...settings } } },
    })
    expect(definition).toBeDefined()
    expect(problems).toEqual(
      keys.map((key) =>
        expect.objectContaining({
          severity: 'warning',
          message: expect.stringContaining(`\`${key}\` has no`),
        }),
      ),
    )
  })
})
