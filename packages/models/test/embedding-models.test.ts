import { describe, expect, it } from 'vitest'
import { embeddingModelProblem, resolveEmbeddingModel, type ProviderConfig } from '../src/index.ts'
import { contextOf } from './context.ts'

interface SentRequest {
  readonly url: string
  readonly body: unknown
}

/** Embeds a text with a model whose provider answers with `reply`. */
async function embed(
  id: string,
  reply: object,
  config: ProviderConfig = {},
): Promise<{ readonly sent: readonly SentRequest[]; readonly vectors: readonly unknown[] }> {
  const sent: SentRequest[] = []
  const [provider = ''] = id.split('/')
  const { model } = await resolveEmbeddingModel(
    id,
    contextOf(
      {},
      {
        providers: { [provider]: { apiKey: 'key-1', ...config } },
        packageFolder: import.meta.dirname,
        fetch: async (input, init) => {
          const request = new Request(input, init)
          sent.push({ url: request.url, body: await request.json() })
          return Response.json(reply)
        },
      },
    ),
  )
  const { embeddings } = await model.doEmbed({ values: ['one'], dimensions: 2 })
  return { sent, vectors: embeddings }
}

const OPENAI_REPLY = {
  object: 'list',
  data: [{ index: 0, embedding: [0.5, 1] }],
  usage: { prompt_tokens: 1 },
}

describe('embedding models', () => {
  it.each([
    ['openai/small', 'https://api.openai.com/v1/embeddings', {}],
    ['vllm/small', 'http://127.0.0.1:8000/v1/embeddings', {}],
    ['own/small', 'https://models.example/v1/embeddings', { baseURL: 'https://models.example/v1' }],
    ['mistral/small', 'https://api.mistral.ai/v1/embeddings', {}],
  ] as const)('%s is called at %s', async (id, url, config) => {
    const { sent, vectors } = await embed(id, OPENAI_REPLY, config)
    expect(vectors).toEqual([[0.5, 1]])
    expect(sent).toMatchObject([{ url, body: { model: 'small', input: ['one'] } }])
  })

  it('an embedding model of google is called with the number of dimensions', async () => {
    const { sent, vectors } = await embed('google/gemini-embedding-001', { embedding: { values: [1, 2] } })
    expect(vectors).toEqual([[1, 2]])
    expect(sent).toMatchObject([
      {
        url: 'https://generativelanguage.googleapis.com/v1beta/models/gemini-embedding-001:embedContent',
        body: { outputDimensionality: 2 },
      },
    ])
  })

  it('an embedding model of ollama is called at its API', async () => {
    const reply = {
      model: 'nomic',
      embeddings: [[1, 2]],
      total_duration: 1,
      load_duration: 1,
      prompt_eval_count: 1,
    }
    const { sent, vectors } = await embed('ollama/nomic', reply)
    expect(vectors).toEqual([[1, 2]])
    expect(sent).toMatchObject([
      { url: 'http://127.0.0.1:11434/api/embed', body: { model: 'nomic', input: ['one'] } },
    ])
  })

  it('an embedding model has the limits, the price and the redaction of its provider', async () => {
    const providers = {
      openai: {
        apiKey: 'key-of-openai',
        maxParallel: 2,
        requestsPerMinute: 3,
        prices: { small: { input: 0.02, output: 0 } },
      },
    }
    const handle = await resolveEmbeddingModel('openai/small', contextOf({}, { providers }))
    expect(handle).toMatchObject({
      id: 'openai/small',
      provider: 'openai',
      maxConcurrentCalls: 2,
      rateLimits: { requestsPerMinute: 3 },
      price: { input: 20_000, output: 0 },
    })
    expect(handle.hide?.('wrong key key-of-openai')).toBe('wrong key [redacted:key]')
  })

  it('a model without a provider, a key or embeddings is a failure', async () => {
    expect(embeddingModelProblem('openai/small', contextOf())).toMatchObject({ code: 'env_missing' })
    expect(embeddingModelProblem('unknown/small', contextOf())).toMatchObject({ code: 'model_unknown' })
    expect(embeddingModelProblem('passthrough', contextOf())).toMatchObject({ code: 'model_unknown' })
    expect(embeddingModelProblem('openai/small', contextOf({ OPENAI_API_KEY: 'key-1' }))).toBeUndefined()
    const context = contextOf({ ANTHROPIC_API_KEY: 'key-1' })
    await expect(resolveEmbeddingModel('anthropic/small', context)).rejects.toMatchObject({
      failure: { code: 'model_unknown' },
    })
  })
})
