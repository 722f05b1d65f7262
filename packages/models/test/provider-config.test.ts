import { describe, expect, it } from 'vitest'
import { providerConfigSchema } from '../src/index.ts'

describe('providerConfigSchema', () => {
  it('providerConfigSchema accepts every key of an entry', () => {
    const entry = {
      apiKey: '${MY_KEY}',
      baseURL: 'http://127.0.0.1:9/v1',
      headers: { 'x-team': 'blue' },
      body: { provider: { data_collection: 'deny' } },
      api: 'responses',
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
    { maxParallel: 0 },
  ])('providerConfigSchema refuses %j', (entry) => {
    expect(providerConfigSchema.safeParse(entry).success).toBe(false)
  })
})
