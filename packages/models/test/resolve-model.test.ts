import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { resolveModel, type ModelContext, type ProviderConfig } from '../src/index.ts'
import { contextOf } from './context.ts'
import { stream } from './drive.ts'

function openAI(config: ProviderConfig = {}, key = 'key-1'): ModelContext {
  return contextOf({ OPENAI_API_KEY: key }, { providers: { openai: config } })
}

/** Returns the request body of the model, without a server. */
async function bodyOf(id: string, context: ModelContext): Promise<Record<string, unknown>> {
  let body = ''
  const fetch: typeof globalThis.fetch = (_, init) => {
    body = init?.body as string
    return Promise.resolve(
      Response.json({ error: { code: 400, message: 'enough', status: 'X', type: 'x' } }, { status: 400 }),
    )
  }
  const handle = await resolveModel(id, { ...context, fetch })
  await expect(stream(handle.open({ agent: 'A', runId: 'r' }))).rejects.toThrow('enough')
  return JSON.parse(body) as Record<string, unknown>
}

describe('resolveModel', () => {
  it('resolveModel returns a handle with the full id', async () => {
    const handle = await resolveModel('gpt-5-mini', openAI())

    expect(handle).toMatchObject({ id: 'openai/gpt-5-mini', provider: 'openai', maxTools: 128 })
    expect(handle.open({ agent: 'A', runId: '1' })).toBe(handle.open({ agent: 'B', runId: '2' }))
  })

  it('resolveModel limits concurrent calls as configured', async () => {
    expect(await resolveModel('openai/gpt-5', openAI({ maxParallel: 2 }))).toMatchObject({
      maxConcurrentCalls: 2,
    })
    expect(await resolveModel('openai/gpt-5', openAI())).not.toHaveProperty('maxConcurrentCalls')
  })

  it('resolveModel uses one limiter per provider, key and address, without the key in its name', async () => {
    const lane = async (context: ModelContext): Promise<string> =>
      (await resolveModel('openai/gpt-5', context)).limiterKey
    const one = await lane(openAI())

    expect(await lane(openAI())).toBe(one)
    expect((await resolveModel('openai/gpt-5-mini', openAI())).limiterKey).toBe(one)
    expect(await lane(openAI({}, 'key-2'))).not.toBe(one)
    expect(await lane(openAI({ baseURL: 'http://127.0.0.1:9/v1' }))).not.toBe(one)
    expect(one).not.toContain('key-1')
  })

  it('resolveModel uses the price of * for a model without one of its own', async () => {
    const handle = await resolveModel('openai/gpt-5', openAI({ prices: { '*': { input: 1, output: 2 } } }))

    expect(handle.price).toEqual({ input: 1_000_000, output: 2_000_000 })
  })

  it('resolveModel converts prices in USD to micro-USD', async () => {
    const prices = { 'gpt-5': { input: 1.25, output: 10, cacheRead: 0.125 } }

    const handle = await resolveModel('openai/gpt-5', openAI({ prices }))

    expect(handle.price).toEqual({ input: 1_250_000, output: 10_000_000, cacheRead: 125_000 })
  })

  it('resolveModel sends the reasoning level of the id rather than that of the configuration', async () => {
    const config = { models: { 'gpt-5': { reasoning: 'high' } } } as const

    expect(await bodyOf('openai/gpt-5?reasoning=low', openAI(config))).toMatchObject({
      reasoning: { effort: 'low' },
    })
    expect(await bodyOf('openai/gpt-5', openAI(config))).toMatchObject({ reasoning: { effort: 'high' } })
    expect(await bodyOf('openai/gpt-5', openAI())).not.toHaveProperty('reasoning')
  })

  it('resolveModel requests the model name that the configuration gives a model', async () => {
    const models = { fast: { name: 'gpt-5-nano' } }

    expect(await bodyOf('openai/fast', openAI({ models }))).toMatchObject({ model: 'gpt-5-nano' })
  })

  it('resolveModel uses the documented base URL when none is given', async () => {
    const seen: string[] = []
    const fetch: typeof globalThis.fetch = (input) => {
      seen.push(input instanceof Request ? input.url : String(input))
      return Promise.resolve(
        Response.json({ error: { code: 400, message: 'enough', status: 'X', type: 'x' } }, { status: 400 }),
      )
    }
    const variables = {
      OPENAI_API_KEY: 'k',
      ANTHROPIC_API_KEY: 'k',
      GOOGLE_GENERATIVE_AI_API_KEY: 'k',
      OPENROUTER_API_KEY: 'k',
    }
    for (const id of ['gpt-5', 'claude-opus-4-5', 'gemini-2.5-pro', 'openrouter/x/y', 'ollama/z']) {
      const handle = await resolveModel(id, contextOf(variables, { fetch }))
      await expect(stream(handle.open({ agent: 'A', runId: 'r' }))).rejects.toMatchObject({ statusCode: 400 })
    }

    expect(seen).toEqual([
      'https://api.openai.com/v1/responses',
      'https://api.anthropic.com/v1/messages',
      'https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse',
      'https://openrouter.ai/api/v1/chat/completions',
      'http://127.0.0.1:11434/api/chat',
    ])
  })

  it('resolveModel uses the Responses API of OpenAI at its own address only, and stores nothing there', async () => {
    expect(await bodyOf('openai/gpt-5', openAI())).toMatchObject({
      input: [{ role: 'user' }],
      store: false,
      include: ['reasoning.encrypted_content'],
    })
    expect(await bodyOf('openai/gpt-5', openAI({ api: 'chat' }))).toHaveProperty('messages')
    expect(await bodyOf('openai/gpt-5', openAI({ baseURL: 'http://127.0.0.1:9/v1' }))).toHaveProperty(
      'messages',
    )
  })

  it('resolveModel requires the variables to be a plain record', async () => {
    const handle = await resolveModel('openai/gpt-5-mini', { env: { OPENAI_API_KEY: 'sk-0123456789' } })
    expect(handle.id).toBe('openai/gpt-5-mini')
  })

  it('resolveModel tells an embedder who passed no variables to pass those of the process', async () => {
    await expect(resolveModel('openai/gpt-5-mini')).rejects.toMatchObject({
      code: 'env_missing',
      failure: { remediation: expect.stringContaining('Pass `env: process.env`') as unknown },
    })
  })

  it(`resolveModel throws what checkModel reports ${verifies('C44')}`, async () => {
    await expect(resolveModel('openai/gpt-5', contextOf())).rejects.toMatchObject({ code: 'env_missing' })
    await expect(resolveModel('nobody/x', contextOf())).rejects.toMatchObject({ code: 'model_unknown' })
  })
})
