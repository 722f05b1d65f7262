import OpenAI, { APIUserAbortError } from 'openai'
import { startFakeOpenAI, type FakeProviderOptions, type FakeProvider } from '@troupe/testkit'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PARROT, serveTeam, type ServedTeam, type TeamToServe } from './support/serve-team.ts'

const SMALL = 'openai/text-embedding-3-small'
const TOKENS = [
  { token: 'token-of-ada-0001', principal: 'ada' },
  { token: 'token-of-ben-0001', principal: 'ben' },
]

interface ServedEmbeddings extends ServedTeam {
  readonly provider: FakeProvider
  readonly client: OpenAI
}

/** Serves an embedding model of a fake provider. */
async function serveEmbeddings(
  options: Partial<TeamToServe> & {
    readonly answers?: FakeProviderOptions['answers']
    readonly provider?: object
  } = {},
): Promise<ServedEmbeddings> {
  const { answers = () => ({}), provider: settings = {}, ...team } = options
  const provider = await startFakeOpenAI({ answers, apiKey: 'key-of-openai' })
  onTestFinished(() => provider.close())
  const openai = { baseURL: provider.baseURL, apiKey: 'key-of-openai', ...settings }
  const served = await serveTeam({
    cards: [PARROT],
    embeddings: [SMALL],
    hostOptions: { config: { providers: { openai } } },
    ...team,
  })
  return { ...served, provider, client: clientOf(served) }
}

function clientOf({ url }: Pick<ServedTeam, 'url'>, apiKey = 'none'): OpenAI {
  return new OpenAI({ baseURL: `${url}/openai/v1`, apiKey, maxRetries: 0 })
}

function sentBodies({ requests }: FakeProvider): readonly unknown[] {
  return requests.map(({ body }) => body)
}

describe('POST /openai/v1/embeddings', () => {
  it('the OpenAI client gets the vectors of texts from the provider of the team, as base64 and as numbers', async () => {
    const { client, provider } = await serveEmbeddings()
    const input = ['one', 'two']
    // the client requests base64 and decodes it
    const decoded = await client.embeddings.create({ model: SMALL, input, dimensions: 4 })
    const numbers = await client.embeddings.create({
      model: SMALL,
      input,
      dimensions: 4,
      encoding_format: 'float',
    })
    expect(numbers.data[0]?.embedding).toHaveLength(4)
    expect(decoded.data.map(({ embedding }) => Array.from(embedding))).toEqual(
      numbers.data.map(({ embedding }) => embedding),
    )
    expect(numbers).toMatchObject({
      object: 'list',
      model: SMALL,
      data: [
        { object: 'embedding', index: 0 },
        { object: 'embedding', index: 1 },
      ],
      usage: { prompt_tokens: 4, total_tokens: 4 },
    })
    expect(sentBodies(provider)[0]).toEqual({
      model: 'text-embedding-3-small',
      input,
      encoding_format: 'float',
      dimensions: 4,
    })
  })

  it('only the listed embedding models are served, and none by default', async () => {
    const { client, provider } = await serveEmbeddings()
    await expect(
      client.embeddings.create({ model: 'openai/text-embedding-3-large', input: 'a' }),
    ).rejects.toMatchObject({ status: 404, code: 'model_not_found', param: 'model' })
    const none = clientOf(await serveTeam({ cards: [PARROT] }))
    await expect(none.embeddings.create({ model: SMALL, input: 'a' })).rejects.toMatchObject({
      status: 404,
      message: expect.stringContaining('server.embeddings'),
    })
    expect(provider.requests).toEqual([])
  })

  it('a request with too many, too long, empty or no texts is refused before the provider is called', async () => {
    const { client, provider } = await serveEmbeddings({ limits: { maxBodyBytes: 4_000_000 } })
    const inputs: unknown[] = [
      [],
      '',
      ['a', ''],
      [1, 2],
      Array.from({ length: 2049 }, () => 'a'),
      'a'.repeat(262_145),
    ]
    for (const input of inputs)
      await expect(client.embeddings.create({ model: SMALL, input: input as string })).rejects.toMatchObject({
        status: 400,
      })
    for (const more of [{ dimensions: 0 }, { dimensions: 1.5 }, { encoding_format: 'int8' as 'float' }])
      await expect(client.embeddings.create({ model: SMALL, input: 'a', ...more })).rejects.toMatchObject({
        status: 400,
      })
    expect(provider.requests).toEqual([])
  })

  it('a server with an embedding model that cannot be used does not start', async () => {
    const start = (embeddings: readonly string[]): Promise<ServedTeam> =>
      serveTeam({ cards: [PARROT], embeddings })
    await expect(start(['unknown/small'])).rejects.toThrow(/server\.embeddings: .*unknown/u)
    await expect(start(['openai/text-embedding-3-small'])).rejects.toThrow('OPENAI_API_KEY')
    await expect(start(['script/a.yaml'])).rejects.toThrow('server.embeddings')
  })

  it('embeddings count against the spending limit of their principal', async () => {
    const { url, provider } = await serveEmbeddings({
      tokens: TOKENS,
      limits: { spending: { per: 3_600_000, maxTokens: 200 } },
      answers: () => ({ usage: { input: 150, output: 0 } }),
    })
    const [ada, ben] = TOKENS.map(({ token }) => clientOf({ url }, token))
    const input = 'x'.repeat(100)
    await ada?.embeddings.create({ model: SMALL, input })
    await expect(ada?.embeddings.create({ model: SMALL, input })).rejects.toMatchObject({ status: 429 })
    await ben?.embeddings.create({ model: SMALL, input })
    expect(provider.requests).toHaveLength(2)
  })

  it('a request for embeddings that exceeds the budget of a run is refused', async () => {
    const { client, provider } = await serveEmbeddings({ limits: { budget: { maxTokens: 10 } } })
    await client.embeddings.create({ model: SMALL, input: 'x'.repeat(10) })
    await expect(client.embeddings.create({ model: SMALL, input: 'x'.repeat(11) })).rejects.toMatchObject({
      status: 429,
      code: 'budget_exceeded',
    })
    expect(provider.requests).toHaveLength(1)
  })

  it('requests for embeddings share the slots of the server and the limits of the provider', async () => {
    const { client, provider } = await serveEmbeddings({ provider: { maxParallel: 1 } })
    await Promise.all(['a', 'b', 'c'].map((input) => client.embeddings.create({ model: SMALL, input })))
    expect(provider.maxInFlight).toBe(1)
    const open = Promise.withResolvers<undefined>()
    const busy = await serveEmbeddings({
      limits: { maxRuns: 1, maxQueue: 0 },
      answers: () => ({ until: open.promise }),
    })
    const first = busy.client.embeddings.create({ model: SMALL, input: 'a' })
    await expect.poll(() => busy.provider.requests.length).toBe(1)
    await expect(busy.client.embeddings.create({ model: SMALL, input: 'b' })).rejects.toMatchObject({
      status: 503,
    })
    open.resolve(undefined)
    await first
  })

  it('a failure of the provider tells only the operator about the key and the model', async () => {
    const answers = () => ({ status: 429, message: 'Rate limit reached for key-of-openai.' })
    const own = await serveEmbeddings({ answers })
    await expect(own.client.embeddings.create({ model: SMALL, input: 'a' })).rejects.toMatchObject({
      status: 429,
      code: 'rate_limit_exceeded',
      message: expect.stringContaining('Rate limit reached for [redacted:key]'),
    })
    const other = await serveEmbeddings({ answers, tokens: TOKENS })
    const thrown: unknown = await clientOf(other, TOKENS[0]?.token)
      .embeddings.create({ model: SMALL, input: 'a' })
      .catch((error: unknown) => error)
    expect(thrown).toMatchObject({ status: 429, code: 'rate_limit_exceeded' })
    expect(String(thrown)).not.toContain('Rate limit reached for')
    expect(other.errors.map(String).join('\n')).toContain('Rate limit reached for')
  })

  it('a provider that returns other than one vector for each text is a failure', async () => {
    const { client } = await serveEmbeddings({ answers: [{ vectors: [[1, 2]] }] })
    await expect(client.embeddings.create({ model: SMALL, input: ['a', 'b'] })).rejects.toMatchObject({
      status: 502,
    })
  })

  it('the call of the provider is cancelled when the client disconnects', async () => {
    const { client, provider } = await serveEmbeddings({ answers: () => ({ until: new Promise(() => {}) }) })
    const stop = new AbortController()
    const request = client.embeddings.create({ model: SMALL, input: 'a' }, { signal: stop.signal })
    await expect.poll(() => provider.requests.length).toBe(1)
    stop.abort()
    await expect(request).rejects.toThrow(APIUserAbortError)
    await expect.poll(() => provider.requests[0]?.isAbandoned).toBe(true)
  })
})
