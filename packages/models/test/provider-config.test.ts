import { describe, expect, it } from 'vitest'
import { providerConfigSchema, providerProblem, type ProviderConfig } from '../src/index.ts'

describe('providerConfigSchema', () => {
  it('providerConfigSchema accepts every key of an entry', () => {
    const entry = {
      apiKey: '${MY_KEY}',
      baseURL: 'http://127.0.0.1:9/v1',
      headers: { 'x-team': 'blue' },
      body: { provider: { data_collection: 'deny' } },
      api: 'responses',
      package: '@ai-sdk/google-vertex/anthropic',
      factory: 'createVertexAnthropic',
      options: { project: 'p-1' },
      credentials: 'default',
      maxParallel: 8,
      models: { fast: { name: 'gpt-5-nano', reasoning: 'low' } },
      prices: { 'gpt-5-nano': { input: 0.05, output: 0.4 } },
    }

    expect(providerConfigSchema.parse(entry)).toEqual(entry)
    expect(providerConfigSchema.parse({})).toEqual({})
  })

  it.each([
    { apikey: 'x' },
    { body: { messages: [] } },
    { body: { stream: false } },
    { prices: { m: { input: -1, output: 0 } } },
    { prices: { m: { input: 1 } } },
    { api: 'x' },
    { package: './adapter.js' },
    { package: '../adapter' },
    { package: 'file:///adapter.js' },
    { package: '@ai-sdk/../../x' },
    { package: 'node:fs' },
    { options: { apiKey: 'x' } },
    { options: { fetch: 'x' } },
    { credentials: 'mine' },
    { maxParallel: 0 },
  ])('providerConfigSchema refuses %j', (entry) => {
    expect(providerConfigSchema.safeParse(entry).success).toBe(false)
  })
})

describe('providerProblem', () => {
  it.each<[string, ProviderConfig, string]>([
    [
      'nova',
      { apiKey: 'x' },
      'does nothing: nova is not built in, and neither `baseURL` nor `package` is set',
    ],
    [
      'nova',
      { api: 'anthropic' },
      'does nothing: nova is not built in, and neither `baseURL` nor `package` is set',
    ],
    [
      'nova',
      { baseURL: 'http://127.0.0.1:9', factory: 'createNova' },
      'factory: has no effect without `package`',
    ],
    ['openai', { options: { organization: 'x' } }, 'options: has no effect without `package`'],
    ['ollama', { api: 'chat' }, 'api: ollama does not have the API of chat'],
    ['openai', { api: 'anthropic' }, 'api: openai does not have the API of anthropic'],
    ['bedrock', { body: { x: 1 } }, 'body: cannot be used, because requests to bedrock are signed'],
    ['azure', { credentials: 'default', apiKey: 'x' }, 'credentials: cannot be combined with `apiKey`'],
    [
      'groq',
      { credentials: 'default' },
      'credentials: has no effect: only azure, bedrock and vertex have default credentials',
    ],
  ])('providerProblem reports what is wrong with %s %j', (name, config, text) => {
    const { key, message } = providerProblem(name, config) ?? {}
    expect(key === undefined ? message : `${key}: ${message}`).toBe(text)
  })

  it.each<[string, ProviderConfig]>([
    ['nova', { baseURL: 'http://127.0.0.1:9', api: 'responses' }],
    ['nova', { package: 'nova-provider', options: { a: 1 }, factory: 'createNova' }],
    ['openai', { api: 'responses' }],
    ['groq', { api: 'chat' }],
    ['vllm', { api: 'responses' }],
    ['bedrock', { apiKey: 'x', body: { x: 1 } }],
    ['vertex', { credentials: 'default' }],
    ['script', { models: { 'a.yaml': { contextWindow: 100 } } }],
    ['anthropic', {}],
  ])('providerProblem accepts %s %j', (name, config) => {
    expect(providerProblem(name, config)).toBeUndefined()
  })

  it('providerProblem suggests the provider that a misspelled name is close to', () => {
    expect(providerProblem('antropic', { apiKey: 'x' })?.fix).toContain('Rename it to "anthropic"')
  })
})
