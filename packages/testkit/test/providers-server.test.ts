import { afterEach, describe, expect, it } from 'vitest'
import { startFakeOpenAI, type FakeAnswers, type FakeProvider } from '../src/index.ts'
import { deferred } from '../src/internal.ts'

const fakes: FakeProvider[] = []
afterEach(async () => {
  for (const fake of fakes.splice(0)) await fake.close()
})

async function start(answers: FakeAnswers): Promise<FakeProvider> {
  const fake = await startFakeOpenAI({ answers })
  fakes.push(fake)
  return fake
}

function ask(fake: FakeProvider, body: object = {}): Promise<Response> {
  return fetch(`${fake.baseURL}/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer key-1', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }], ...body }),
  })
}

describe('a fake provider', () => {
  it('a fake provider listens on the loopback interface', async () => {
    const fake = await start([])

    expect(fake.baseURL).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/u)
  })

  it('a fake provider returns the answers in order and rejects further requests', async () => {
    const fake = await start([{ text: 'one' }, { text: 'two' }])

    expect(await (await ask(fake)).json()).toMatchObject({ choices: [{ message: { content: 'one' } }] })
    expect(await (await ask(fake)).json()).toMatchObject({ choices: [{ message: { content: 'two' } }] })
    expect((await ask(fake)).status).toBe(400)
  })

  it('a fake provider records its requests and their times', async () => {
    const fake = await start((request) => ({ text: request.headers['authorization'] ?? '' }))

    const said = await (await ask(fake, { user: 'u' })).json()

    expect(said).toMatchObject({ choices: [{ message: { content: 'Bearer key-1' } }] })
    expect(fake.requests).toMatchObject([
      { index: 0, method: 'POST', path: '/v1/chat/completions', body: { model: 'm', user: 'u' } },
    ])
    expect(fake.requests[0]?.endedAt).toBeGreaterThanOrEqual(fake.requests[0]?.startedAt ?? Infinity)
  })

  it('a fake provider counts the open requests', async () => {
    const gate = deferred()
    const fake = await start(() => ({ text: 'ok', until: gate.promise }))

    const asked = [ask(fake), ask(fake), ask(fake)]
    await expect.poll(() => fake.maxInFlight).toBe(3)
    gate.resolve()
    await Promise.all(asked)

    expect(fake.maxInFlight).toBe(3)
    expect(fake.requests).toHaveLength(3)
  })

  it('a fake provider fails with the status, the message and the headers of an answer', async () => {
    const fake = await start([{ status: 429, message: 'slow down', headers: { 'retry-after': '3' } }])

    const response = await ask(fake)

    expect(response.status).toBe(429)
    expect(response.headers.get('retry-after')).toBe('3')
    expect(await response.json()).toMatchObject({ error: { message: 'slow down', type: 'rate_limit_error' } })
  })

  it('a fake provider cuts the connection in the middle of a stream', async () => {
    const fake = await start([{ text: 'one two three', breakAfter: 2 }])

    const response = await ask(fake, { stream: true })

    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow('terminated')
  })

  it('a fake provider ends a stalled stream when it is closed', async () => {
    const fake = await start([{ text: 'one two three', stallAfter: 2 }])
    const response = await ask(fake, { stream: true })
    const text = response.text().catch((error: unknown) => String(error))
    await fake.close()

    expect(await text).toContain('terminated')
  })

  it('a fake provider closes while an answer is held back', async () => {
    const fake = await start([{ text: 'never', delayMs: 3_600_000 }])

    const asked = ask(fake).catch((error: unknown) => String(error))
    await expect.poll(() => fake.requests.length).toBe(1)
    await fake.close()

    expect(await asked).toContain('fetch failed')
  })

  it('a fake provider answers other paths with 404', async () => {
    const fake = await start([])

    const response = await fetch(`${fake.baseURL}/nothing`, { method: 'POST', body: '{}' })

    expect(response.status).toBe(404)
  })

  it('a fake provider turns an answer function that throws into a server error', async () => {
    const fake = await start(() => Promise.reject(new TypeError('wrong request')))

    const response = await ask(fake)

    expect(response.status).toBe(500)
    expect(await response.json()).toMatchObject({ error: { message: 'wrong request' } })
  })
})
