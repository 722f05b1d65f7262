import { describe, expect, it } from 'vitest'
import {
  checkModel,
  LIST_PRICES,
  listPrice,
  parseModelId,
  PROVIDER_NAMES,
  resolveModel,
} from '../src/index.ts'
import { contextOf } from './context.ts'

const env = { OPENAI_API_KEY: 'key-1' }

describe('the list of prices', () => {
  it.each(LIST_PRICES.map((row) => [`${row.provider}/${row.model}`, row] as const))(
    'the list of prices has the price of %s, its source and date',
    (id, row) => {
      expect(PROVIDER_NAMES).toContain(row.provider)
      expect(parseModelId(row.model)).toMatchObject({ provider: row.provider, name: row.model })
      expect(row.source).toMatch(/^https:\/\/[a-z.]+\/\S+$/u)
      expect(new Date(row.seen).toISOString().slice(0, 10)).toBe(row.seen)
      expect(listPrice(row.provider, row.model)).toBe(row)
      expect(LIST_PRICES.filter((each) => `${each.provider}/${each.model}` === id)).toHaveLength(1)
      const { input, output, cacheRead = input, cacheWrite = input } = row
      expect(0 < cacheRead && cacheRead <= input && input <= cacheWrite && cacheWrite < output).toBe(true)
      expect(output).toBeLessThan(1000)
    },
  )

  it('the list of prices gives a dated snapshot the price of its model, unless it has a row of its own', () => {
    expect(listPrice('anthropic', 'claude-sonnet-4-5-20250929')?.model).toBe('claude-sonnet-4-5')
    expect(listPrice('openai', 'gpt-5-mini-2025-08-07')?.model).toBe('gpt-5-mini')
    expect(listPrice('openai', 'gpt-4o-2024-05-13')?.input).toBe(5)
  })

  it('the list of prices has nothing for other models, other providers, and names of object members', () => {
    for (const name of ['gpt-99', '__proto__', 'constructor', '', 'gpt-5-minimal'])
      expect(listPrice('openai', name)).toBeUndefined()
    expect(listPrice('openrouter', 'gpt-5')).toBeUndefined()
  })
})

describe('the price of a model', () => {
  it("the price of a model is the list price if the configuration has none, by the provider's model name", async () => {
    const price = { input: 250_000, output: 2_000_000, cacheRead: 25_000 }
    expect((await resolveModel('openai/gpt-5-mini', contextOf(env))).price).toEqual(price)
    const providers = { openai: { models: { fast: { name: 'gpt-5-mini' } } } }
    expect((await resolveModel('openai/fast', contextOf(env, { providers }))).price).toEqual(price)
  })

  it('the price of a model of google has cached input, which costs a tenth', async () => {
    const { price } = await resolveModel(
      'google/gemini-2.5-flash',
      contextOf({ GOOGLE_GENERATIVE_AI_API_KEY: 'key-1' }),
    )
    expect(price).toEqual({ input: 300_000, output: 2_500_000, cacheRead: 30_000 })
    for (const { input, cacheRead = 0 } of LIST_PRICES.filter(({ provider }) => provider === 'google'))
      expect(cacheRead).toBeCloseTo(input / 10)
  })

  it('the price of a model is that of the configuration if there is one', async () => {
    const providers = { openai: { prices: { 'gpt-5-mini': { input: 1, output: 2 } } } }
    const { price } = await resolveModel('openai/gpt-5-mini', contextOf(env, { providers }))
    expect(price).toEqual({ input: 1_000_000, output: 2_000_000 })
  })

  it("the price of a model is unknown for an address that is not the provider's own", async () => {
    const context = contextOf({ ...env, OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' })
    expect((await resolveModel('openai/gpt-5-mini', context)).price).toBeUndefined()
    expect(checkModel('openai/gpt-5-mini', context).unpriced).toBe(true)
  })

  it('the price of a model has its date and source in a check, unless it is configured', () => {
    expect(checkModel('openai/gpt-5-mini', contextOf(env)).price).toMatchObject({
      input: 0.25,
      output: 2,
      seen: '2025-12-27',
      source: 'https://platform.openai.com/docs/pricing',
    })
    const providers = { openai: { prices: { 'gpt-5-mini': { input: 1, output: 2 } } } }
    expect(checkModel('openai/gpt-5-mini', contextOf(env, { providers })).price).toEqual({
      input: 1,
      output: 2,
    })
    expect(checkModel('openai/gpt-99', contextOf(env)).price).toBeUndefined()
  })

  it('the price of a model is reported as unknown by a check, with and without a key', () => {
    expect(checkModel('openai/gpt-99', contextOf(env)).unpriced).toBe(true)
    expect(checkModel('openai/gpt-99', contextOf()).unpriced).toBe(true)
    expect(checkModel('openai/gpt-5', contextOf()).unpriced).toBeUndefined()
    expect(checkModel('passthrough', contextOf()).unpriced).toBeUndefined()
  })
})
