import { type FakeProvider } from '@troupe/testkit'
import { verifies } from '@troupe/testkit/internal'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { resolveModel, type ModelContext } from '../src/index.ts'
import { stream } from './drive.ts'
import { PROVIDER_CASES, TOOLLESS_CASE, caseName, contextAt, type ProviderCase } from './fakes.ts'

const CANARY = 'canary-of-the-process'
const fakes: FakeProvider[] = []
const realEnv = process.env

/** Sets keys and addresses in the environment of the process, which no session may use. */
beforeEach(() => {
  const poison = PROVIDER_CASES.flatMap(({ key, base }) => [
    [key ?? 'OLLAMA_API_KEY', CANARY],
    [base ?? 'AWS_ENDPOINT_URL', `http://127.0.0.1:9/${CANARY}`],
  ])
  process.env = {
    ...realEnv,
    ANTHROPIC_AUTH_TOKEN: CANARY,
    AWS_REGION: CANARY,
    AWS_SESSION_TOKEN: CANARY,
    GOOGLE_VERTEX_API_KEY: CANARY,
    ...Object.fromEntries(poison),
  }
})

afterEach(async () => {
  process.env = realEnv
  for (const fake of fakes.splice(0)) await fake.close()
})

async function startEcho(provider: ProviderCase): Promise<FakeProvider> {
  const fake = await provider.start({
    answers: (request) => ({ text: provider.keyOf(request) ?? 'no key' }),
  })
  fakes.push(fake)
  return fake
}

async function say(provider: ProviderCase, context: ModelContext): Promise<string> {
  const handle = await resolveModel(provider.id, context)
  const { text } = await stream(handle.open({ agent: 'A', runId: 'r' }))
  return text
}

const keyed = [...PROVIDER_CASES, TOOLLESS_CASE].flatMap((provider) =>
  provider.key === undefined ? [] : [[caseName(provider), provider] as const],
)

describe.each(keyed)('%s', (_, provider) => {
  it(`the adapter sends the key and uses the base URL of each of two sessions at once ${verifies('C22', 'C43')}`, async () => {
    const [one, two] = [await startEcho(provider), await startEcho(provider)]
    const first = contextAt(provider, one, 'key-one')
    const second = contextAt(provider, two, 'key-two')

    const said = await Promise.all(
      Array.from({ length: 4 }, (_, index) => say(provider, index % 2 === 0 ? first : second)),
    )

    expect(said).toEqual(['key-one', 'key-two', 'key-one', 'key-two'])
    expect(one.requests).toHaveLength(2)
    expect(two.requests).toHaveLength(2)
    const wire = JSON.stringify([one.requests, two.requests])
    expect(wire).not.toContain(CANARY)
  })

  it('the adapter prefers key, address and headers of the configuration', async () => {
    const fake = await startEcho(provider)
    const baseURL = `${provider.baseURLOf?.(fake) ?? fake.baseURL}/`
    const config = { apiKey: 'key-of-the-file', baseURL, headers: { 'x-team': 'blue' } }
    const context = contextAt(provider, fake, 'key-of-the-shell', config)

    expect(await say(provider, context)).toBe('key-of-the-file')
    expect(fake.requests[0]?.headers['x-team']).toBe('blue')
  })
})

it(`the adapter never reads a provider variable from the process ${verifies('C22')}`, async () => {
  const reads: string[] = []
  for (const provider of PROVIDER_CASES) {
    // the configuration allows it for these
    if (provider.config?.credentials === 'default') continue
    const fake = await startEcho(provider)
    const context = contextAt(provider, fake, 'key-one')
    await resolveModel(provider.id, context) // the adapter's own module reads `process` while it loads
    const poisoned = process.env
    process.env = new Proxy(poisoned, {
      get(target, name) {
        if (typeof name === 'string' && /API_KEY|BASE_URL|TOKEN|AWS_|AZURE_|GOOGLE_VERTEX/u.test(name))
          reads.push(name)
        return Reflect.get(target, name) as unknown
      },
    })
    await say(provider, context)
    process.env = poisoned
  }

  expect(reads).toEqual([])
})

it('Ollama is called without a key', async () => {
  const [provider] = PROVIDER_CASES.filter(({ key }) => key === undefined) as [ProviderCase]
  const fake = await startEcho(provider)

  expect(await say(provider, contextAt(provider, fake, 'unused'))).toBe('no key')
  expect(JSON.stringify(fake.requests)).not.toContain(CANARY)
})
