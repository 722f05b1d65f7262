import { assert, constantFrom, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { verifies } from '@troupe/testkit/internal'
import { parseModelId, PROVIDER_NAMES } from '../src/index.ts'

describe('parseModelId', () => {
  it.each([
    ['openai/gpt-5-mini', 'openai', 'gpt-5-mini'],
    ['openrouter/meta-llama/llama-3.3:free', 'openrouter', 'meta-llama/llama-3.3:free'],
    ['openai:gpt-5-mini', 'openai', 'gpt-5-mini'],
    ['openrouter:meta-llama/llama-3.3', 'openrouter', 'meta-llama/llama-3.3'],
    ['ollama/llama3:8b', 'ollama', 'llama3:8b'],
    ['ollama:llama3:8b', 'ollama', 'llama3:8b'],
    ['mistral/large', 'mistral', 'large'],
    ['openai/', 'openai', ''],
    ['script/scripts/a?b.yaml', 'script', 'scripts/a?b.yaml'],
    ['script//tmp/a.yaml', 'script', '/tmp/a.yaml'],
    ['passthrough', 'passthrough', ''],
    ['  openai/gpt-5 ', 'openai', 'gpt-5'],
  ])(`parseModelId splits %s ${verifies('C34')}`, (id, provider, name) => {
    expect(parseModelId(id)).toEqual({ provider, name })
  })

  it.each([
    ['gpt-5-mini', 'openai'],
    ['chatgpt-4o-latest', 'openai'],
    ['o3', 'openai'],
    ['o4-mini', 'openai'],
    ['claude-sonnet-4-5', 'anthropic'],
    ['gemini-2.5-flash', 'google'],
  ])('parseModelId recognises the provider of %s', (id, provider) => {
    expect(parseModelId(id)).toEqual({ provider, name: id })
  })

  it('parseModelId recognises the newest Claude model of each short name, with a suffix or without', () => {
    expect(parseModelId('sonnet')).toEqual({ provider: 'anthropic', name: 'claude-sonnet-4-6' })
    expect(parseModelId('haiku?reasoning=low')).toEqual({
      provider: 'anthropic',
      name: 'claude-haiku-4-5',
      settings: { reasoning: 'low' },
    })
    expect(parseModelId('ollama/sonnet')).toEqual({ provider: 'ollama', name: 'sonnet' })
  })

  it.each(['llama3:8b', 'o3x', 'toString', '__proto__', ''])('parseModelId leaves %s a bare name', (id) => {
    expect(parseModelId(id)).toEqual({ name: id })
  })

  it('parseModelId reads the reasoning level after a question mark', () => {
    expect(parseModelId('gpt-5?reasoning=low')).toEqual({
      provider: 'openai',
      name: 'gpt-5',
      settings: { reasoning: 'low' },
    })
  })

  it.each(['openai/gpt-5?reasoning=huge', 'openai/gpt-5?temperature=1', 'openai/gpt-5?'])(
    'parseModelId reports what is wrong with the suffix of %s',
    (id) => {
      const parsed = parseModelId(id)
      expect(parsed).toMatchObject({ provider: 'openai', name: 'gpt-5' })
      expect(parsed.problem).toMatch(/setting|reasoning/u)
    },
  )

  it('parseModelId returns provider and name of any id written with them', () => {
    const name = string({ minLength: 1 }).filter((text) => text.trim() === text && !text.includes('?'))
    assert(
      property(constantFrom(...PROVIDER_NAMES), name, constantFrom('/', ':'), (provider, model, mark) => {
        expect(parseModelId(provider + mark + model)).toEqual({ provider, name: model })
      }),
    )
  })

  it('parseModelId never throws', () => {
    assert(
      property(string(), (id) => {
        expect(parseModelId(id).name).toBeTypeOf('string')
      }),
    )
  })
})
