import { APICallError } from '@ai-sdk/provider'
import { scriptedModel } from '@troupe/testkit'
import { fakeClock, recordEvents, verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { classifyModelError } from '../src/model/classify-model-error.ts'
import { nearestNames } from '../src/tools/prepare-call.ts'
import { retryAfterMs } from '../src/model/reported-error.ts'
import { withoutStack } from '../src/tools/normalise-result.ts'
import { runTeam } from './team.ts'

const NOW = Date.UTC(2026, 0, 1)
const handle = { id: 'p/m' }

function answered(statusCode: number, body: unknown, message = 'said so'): APICallError {
  return new APICallError({
    message,
    url: 'http://127.0.0.1',
    requestBodyValues: {},
    statusCode,
    responseBody: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

function codeOf(thrown: unknown): string {
  return classifyModelError(thrown, { handle, now: NOW }).failure.code
}

describe('an error of a provider', () => {
  it('an error of a provider names the location of a rejected key in the remediation, which models do not read, and not in the message', () => {
    const credential = 'OPENAI_API_KEY from /team/troupe.env'
    const { failure } = classifyModelError(answered(401, {}), { handle: { ...handle, credential }, now: NOW })
    expect(failure.message).toBe('The model p/m answered 401: said so')
    expect(failure.remediation).toBe(`Check the API key: ${credential}.`)
  })

  it.each([
    [
      'OpenAI without credit',
      answered(429, { error: { code: 'insufficient_quota' } }),
      'model_quota_exceeded',
    ],
    ['OpenRouter without credit', answered(402, { error: { code: 402 } }), 'model_quota_exceeded'],
    [
      'a minute limit of Google, which speaks of billing',
      answered(429, { error: { status: 'RESOURCE_EXHAUSTED', message: 'quota, billing' } }, 'quota, billing'),
      'model_rate_limited',
    ],
    [
      'a wrong key at Google',
      answered(400, { error: { details: [{ reason: 'API_KEY_INVALID' }] } }),
      'model_auth',
    ],
    [
      'Anthropic, too long',
      answered(400, '', 'prompt is too long: 210000 tokens > 200000 maximum'),
      'context_overflow',
    ],
    [
      'Google, too long',
      answered(
        400,
        '',
        'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      ),
      'context_overflow',
    ],
    [
      'input and limit together too long',
      answered(400, '', 'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000'),
      'context_overflow',
    ],
    ['a wrong request', answered(400, { error: { type: 'invalid_request_error' } }), 'model_bad_request'],
    [
      'an error under a status of 200',
      answered(200, { error: { type: 'overloaded_error' } }),
      'model_overloaded',
    ],
    ['half an answer under a status of 200', answered(200, '{"choices":[{"mess'), 'model_bad_stream'],
    ['an error in a stream', { type: 'overloaded_error', message: 'busy' }, 'model_overloaded'],
    ['a limit of rate in a stream', { code: 'rate_limit_exceeded', message: 'slow' }, 'model_rate_limited'],
    ['a refused connection', connectionError('ECONNREFUSED'), 'model_unreachable'],
    ['an unknown host name', connectionError('ENOTFOUND'), 'model_unreachable'],
    ['a connection that takes too long', connectionError('UND_ERR_CONNECT_TIMEOUT'), 'model_timeout'],
    [
      'text about sockets in an answer that cannot be read',
      new SyntaxError('ECONNRESET in JSON'),
      'model_bad_stream',
    ],
  ])(`an error of a provider has one code: %s ${verifies('C82')}`, (_, thrown, code) => {
    expect(codeOf(thrown)).toBe(code)
  })

  it('an error of a provider is reported without anything that looks like a key, also in its body', () => {
    const body = 'Bearer abcdefgh12345678 and sk-proj-0123456789abcdef'
    const found = classifyModelError(answered(500, body, body), { handle, now: NOW })
    expect(JSON.stringify(found)).not.toMatch(/abcdefgh1234|0123456789abcdef/u)
  })
})

function connectionError(code: string): Error {
  const cause = Object.assign(new Error(`connect ${code}`), { code })
  return new TypeError('fetch failed', { cause })
}

describe('the wait that a provider requests', () => {
  it.each([
    [{ 'retry-after': '3' }, 3000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after-ms': '20', 'retry-after': '9' }, 20],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:07 GMT' }, 7000],
    [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 0],
    [{ 'retry-after': '-4' }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ])('the wait that a provider requests is read from %j', (headers, ms) => {
    expect(retryAfterMs({ headers, now: NOW })).toBe(ms)
  })

  it('the wait that a provider requests is read from the body of Google', () => {
    const body = JSON.stringify({ error: { details: [{ '@type': 'RetryInfo', retryDelay: '34.5s' }] } })
    expect(retryAfterMs({ body, now: NOW })).toBe(34_500)
  })
})

describe('the list of models', () => {
  const busy = answered(529, '', 'busy')

  it('the next model of the list is used after the attempts with the first, with an event', async () => {
    const clock = fakeClock()
    const record = recordEvents()
    const first = scriptedModel([{ error: busy }, { error: busy }, { error: busy }])
    const running = runTeam(
      { A: { models: [first, scriptedModel([{ text: 'second' }])] } },
      { clock, listener: record.listener },
    )
    await clock.advance(60_000)
    expect((await running).text).toBe('second')
    expect(first.calls).toHaveLength(3)
    expect(record.of('model-fallback')).toMatchObject([{ from: 'test/A-0', to: 'test/A-1' }])
    expect(record.of('usage').map(({ error }) => error?.code)).toEqual([
      'model_overloaded',
      'model_overloaded',
      'model_overloaded',
      undefined,
    ])
  })

  it('the reasoning of one provider is not sent to the next model of the list', async () => {
    const thought = {
      parts: [
        { type: 'reasoning-start' as const, id: 'r' },
        { type: 'reasoning-delta' as const, id: 'r', delta: 'secret thought' },
        { type: 'reasoning-end' as const, id: 'r', providerMetadata: { one: { signature: 'signed' } } },
        { type: 'tool-call' as const, toolCallId: '1', toolName: 'nobody', input: '{}' },
        {
          type: 'finish' as const,
          usage: {
            inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
            outputTokens: { total: 1, text: 1, reasoning: 0 },
          },
          finishReason: { unified: 'tool-calls' as const, raw: 'tool_calls' },
        },
      ],
    }
    const refused = answered(401, '', 'no')
    const first = scriptedModel([thought, { error: refused }], { provider: 'one' })
    const second = scriptedModel([{ text: 'done' }], { provider: 'two' })
    expect((await runTeam({ A: { models: [first, second] } })).text).toBe('done')
    expect(JSON.stringify(first.calls[1]?.prompt)).toContain('signed')
    expect(JSON.stringify(second.calls[0]?.prompt)).not.toMatch(/signed|secret thought/u)
  })

  it('the list of models is not used for a conversation that is too long', async () => {
    const long = answered(400, { error: { code: 'context_length_exceeded' } }, 'too long')
    const second = scriptedModel([])
    const result = await runTeam({ A: { models: [scriptedModel([{ error: long }]), second] } })
    expect(result.failure?.code).toBe('context_overflow')
    expect(second.calls).toHaveLength(0)
  })
})

describe('a failed call with a spending cap', () => {
  const price = { input: 1_000_000, output: 1_000_000 }
  const broken = {
    parts: [
      { type: 'text-start' as const, id: '1' },
      { type: 'text-delta' as const, id: '1', delta: 'half of it' },
    ],
  }

  it('a failed call counts at its worst case, because its usage is unknown', async () => {
    const clock = fakeClock()
    const model = scriptedModel([broken, { text: 'whole' }])
    const fields = { limits: { maxTokens: 20_000 }, maxOutputTokens: 12_000 }
    const running = runTeam({ A: { fields, models: [model], price } }, { clock })
    await clock.advance(60_000)
    await running
    const asked = model.calls.map(({ options }) => options.maxOutputTokens ?? 0)
    expect(asked[0]).toBe(12_000)
    expect(asked[1]).toBeLessThan(8000)
  })

  it('a failed call is free if the provider rejected it', async () => {
    const clock = fakeClock()
    const model = scriptedModel([{ error: answered(500, '', 'no') }, { text: 'whole' }])
    const fields = { limits: { maxTokens: 20_000 }, maxOutputTokens: 12_000 }
    const running = runTeam({ A: { fields, models: [model], price } }, { clock })
    await clock.advance(60_000)
    await running
    expect(model.calls.map(({ options }) => options.maxOutputTokens)).toEqual([12_000, 12_000])
  })
})

describe('errors sent to a model', () => {
  it('an unknown tool name is answered with the nearest names first', () => {
    const known = ['time__get_time', 'time__convert', 'files__read', 'get_weather']
    expect(nearestNames('get_time', known)[0]).toBe('time__get_time')
    expect(nearestNames('getWeather', known)[0]).toBe('get_weather')
    expect(nearestNames('zzz', known)).toEqual([])
  })

  it('a tool failure sent to a model contains no stack', () => {
    const text =
      'TypeError: no\n    at run (/srv/team/tool.ts:3:4)\n    at async <anonymous>\nlook at the log'
    expect(withoutStack(text)).toBe('TypeError: no\nlook at the log')
  })
})
