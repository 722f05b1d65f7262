import { APICallError } from '@ai-sdk/provider'
import { type FakeProvider } from '@troupe/testkit'
import { verifies } from '@troupe/testkit/internal'
import { afterEach, describe, expect, it } from 'vitest'
import { resolveModel } from '../src/index.ts'
import { stream } from './drive.ts'
import { PROVIDER_CASES, TOOLLESS_CASE, caseName, contextAt, type ProviderCase } from './fakes.ts'

const fakes: FakeProvider[] = []
afterEach(async () => {
  for (const fake of fakes.splice(0)) await fake.close()
})

async function errorOf(provider: ProviderCase, status: number): Promise<APICallError> {
  const headers = { 'retry-after': '7' }
  const fake = await provider.start({
    apiKey: 'key-1',
    answers: [{ status, message: 'said the provider', headers }],
  })
  fakes.push(fake)
  const handle = await resolveModel(provider.id, contextAt(provider, fake, 'key-1'))
  const thrown: unknown = await stream(handle.open({ agent: 'A', runId: 'r' })).catch(
    (error: unknown) => error,
  )
  expect(APICallError.isInstance(thrown)).toBe(true)
  return thrown as APICallError
}

describe.each([...PROVIDER_CASES, TOOLLESS_CASE].map((provider) => [caseName(provider), provider] as const))(
  '%s',
  (_, provider) => {
    it.each([
      [401, false],
      [429, true],
      [500, true],
      [503, true],
    ])(`the adapter reports status %i as an APICallError ${verifies('C34')}`, async (status, isRetryable) => {
      const error = await errorOf(provider, status)

      expect(error.statusCode).toBe(status)
      expect(error.message).toContain('said the provider')
      expect(error.isRetryable).toBe(isRetryable)
      expect(error.responseHeaders?.['retry-after']).toBe('7')
      expect(JSON.stringify(error)).not.toContain('key-1')
    })
  },
)
