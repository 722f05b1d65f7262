import { startFakeOpenAI, type FakeAnswer, type FakeProvider } from '@troupe/testkit'
import { fakeClock, verifies } from '@troupe/testkit/internal'
import { afterEach, describe, expect, it } from 'vitest'
import { providerConfigSchema, resolveModel, type ProviderConfig } from '../src/index.ts'
import { withExtraBody } from '../src/transport/extra-body.ts'
import { contextOf } from './context.ts'
import { stream } from './drive.ts'

const fakes: FakeProvider[] = []
afterEach(async () => {
  for (const fake of fakes.splice(0)) await fake.close()
})

async function fakeWith(answers: readonly FakeAnswer[]): Promise<FakeProvider> {
  const fake = await startFakeOpenAI({ answers })
  fakes.push(fake)
  return fake
}

const variables = { OPENAI_API_KEY: 'key-one-two' }
const handleOf = (config: ProviderConfig, rest: Parameters<typeof contextOf>[1] = {}) =>
  resolveModel('openai/x', contextOf(variables, { providers: { openai: config }, ...rest }))

describe('a provider that does not respond', () => {
  it(`a provider that does not respond times out as configured, and the message names the key ${verifies('C52')}`, async () => {
    const fake = await fakeWith([{ text: 'late', until: new Promise(() => undefined) }])
    const clock = fakeClock()
    const config = { baseURL: fake.baseURL, timeouts: { firstByte: 500 } }
    const handle = await handleOf(config, { clock })
    const answer = stream(handle.open({ agent: 'A', runId: 'r' })).catch((error: unknown) => error)
    while (fake.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
    await clock.advance(500)
    expect(await answer).toMatchObject({
      failure: { code: 'model_timeout', remediation: expect.stringContaining('timeouts.firstByte') },
    })
  })

  it('a provider that responds leaves no timer behind', async () => {
    const fake = await fakeWith([{ text: 'here' }, { status: 500, message: 'no' }])
    const clock = fakeClock()
    const handle = await handleOf({ baseURL: fake.baseURL }, { clock })
    const model = handle.open({ agent: 'A', runId: 'r' })
    expect((await stream(model)).text).toBe('here')
    await stream(model).catch(() => undefined)
    expect(clock.pending()).toBe(0)
  })
})

describe('the body of a provider', () => {
  it('`body` of a provider is added to every request, over what Troupe sets', async () => {
    const fake = await startFakeOpenAI({ answers: [{ text: 'a' }, { text: 'b' }], extraFields: ['provider'] })
    fakes.push(fake)
    const body = { provider: { data_collection: 'deny' } }
    const config: ProviderConfig = { baseURL: fake.baseURL, body: { ...body, temperature: 0.7 } }
    const model = (await handleOf(config)).open({ agent: 'A', runId: 'r' })
    expect((await stream(model)).text).toBe('a')
    expect((await stream(model)).text).toBe('b')
    for (const { body: sent } of fake.requests)
      expect(sent).toMatchObject({
        provider: { data_collection: 'deny' },
        temperature: 0.7,
      })
  })
})

it('objects of `body` are merged into those of a request, and other values replace them', async () => {
  const sent: unknown[] = []
  const send = withExtraBody(
    async (_input, init) => {
      sent.push(JSON.parse(init?.body as string))
      return new Response()
    },
    { text: { verbosity: 'low' }, stop: ['c'] },
  )
  await send('http://127.0.0.1:9', { body: '{"text":{"format":1},"stop":["a"],"n":1}' })
  expect(sent).toEqual([{ text: { format: 1, verbosity: 'low' }, stop: ['c'], n: 1 }])
})

describe('streaming', () => {
  it.each([
    ['off for a server that cannot stream', { stream: false }, 'always'],
    ['off without delta listeners by default', {}, 'unwatched'],
    ['on if the configuration says so', { stream: true }, undefined],
    ['on for a model with reasoning', { models: { x: { reasoning: 'low' } } }, undefined],
  ] as const)('streaming is %s', async (_, config, whole) => {
    expect((await handleOf(config)).whole).toBe(whole)
  })
})

describe('the provider data of a handle', () => {
  it('a handle names the limits of its provider, and one endpoint for all keys', async () => {
    const limits = { maxParallel: 3, requestsPerMinute: 60, tokensPerMinute: 1000 }
    const handle = await handleOf(limits)
    const other = await handleOf({ apiKey: 'key-three-four' })
    expect(handle).toMatchObject({
      maxConcurrentCalls: 3,
      rateLimits: { requestsPerMinute: 60, tokensPerMinute: 1000 },
    })
    expect(other.limiterKey).not.toBe(handle.limiterKey)
    expect(other.endpoint).toBe(handle.endpoint)
    expect(other).not.toHaveProperty('rateLimits')
  })

  it('a handle says where the key was found and redacts it, and never contains it', async () => {
    const handle = await handleOf({}, { origin: () => '/team/troupe.env' })
    expect(handle.credential).toBe('OPENAI_API_KEY from /team/troupe.env')
    expect(handle.hide?.('bad key key-one-two!')).toBe('bad key [redacted:key]!')
    expect(JSON.stringify(handle)).not.toContain('key-one-two')
    expect((await handleOf({ apiKey: 'key-three-four' })).credential).toBe(
      'providers.openai.apiKey from the configuration',
    )
  })
})

describe('the configuration of a provider', () => {
  it('the configuration of a provider accepts times as text and returns ms', () => {
    const timeouts = { firstByte: '5m', idle: 1500 }
    expect(providerConfigSchema.parse({ timeouts })).toEqual({ timeouts: { firstByte: 300_000, idle: 1500 } })
  })

  it.each([
    { timeouts: { idle: 'soon' } },
    { timeouts: { total: 1 } },
    { requestsPerMinute: 0 },
    { stream: 1 },
  ])('the configuration of a provider refuses %j', (config) => {
    expect(providerConfigSchema.safeParse(config).success).toBe(false)
  })
})
