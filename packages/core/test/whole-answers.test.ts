import type { LanguageModelV4CallOptions, LanguageModelV4GenerateResult } from '@ai-sdk/provider'
import type { LimitsInput, RunEvent } from '@troupe/schema'
import type { ModelHandle } from '@troupe/schema/ports'
import { scriptedModel } from '@troupe/testkit'
import { fakeClock, verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { createDiscardingLog, openSession } from '../src/index.ts'

type Content = LanguageModelV4GenerateResult['content']

const USAGE: LanguageModelV4GenerateResult['usage'] = {
  inputTokens: { total: 3, noCache: 3, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 2, text: 2, reasoning: 0 },
}

/** Returns a model that reports how it was called: `whole` in one piece, or `streamed` for a stream. */
function twoWayModel(
  whole: (call: LanguageModelV4CallOptions, index: number) => Promise<Content>,
  says: ModelHandle['whole'] = 'unwatched',
): { readonly handle: ModelHandle; readonly asked: string[] } {
  const asked: string[] = []
  const streamed = scriptedModel(() => ({ text: 'streamed' }))
  const model = {
    ...streamed,
    doStream: (call: LanguageModelV4CallOptions) => {
      asked.push('stream')
      return streamed.doStream(call)
    },
    doGenerate: async (call: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> => {
      asked.push('whole')
      const content = await whole(call, asked.length - 1)
      const unified = content.some(({ type }) => type === 'tool-call') ? 'tool-calls' : 'stop'
      return { content, finishReason: { unified, raw: unified }, usage: USAGE, warnings: [] }
    },
  }
  return {
    handle: { id: 'p/m', provider: 'p', limiterKey: 'p', ...(says && { whole: says }), open: () => model },
    asked,
  }
}

const said = (text: string): Promise<Content> => Promise.resolve([{ type: 'text', text }])

function sessionOf(
  handle: ModelHandle,
  options: Partial<Parameters<typeof openSession>[0]> & { readonly limits?: LimitsInput } = {},
) {
  return openSession({ agent: { name: 'A', instruction: 'Speak.' }, model: handle, ...options })
}

describe('an answer without delta listeners', () => {
  it(`an answer without delta listeners is requested without streaming, with everything that a stream would contain ${verifies('C30')}`, async () => {
    const { handle, asked } = twoWayModel(() =>
      Promise.resolve([
        { type: 'reasoning', text: 'hm', providerMetadata: { p: { signature: 's' } } },
        { type: 'text', text: 'whole' },
      ]),
    )
    const result = await sessionOf(handle).run('hello')
    expect(asked).toEqual(['whole'])
    expect(result).toMatchObject({ outcome: 'completed', text: 'whole', usage: { input: 3, output: 2 } })
    expect(result.messages.at(-1)?.content).toEqual([
      { type: 'reasoning', text: 'hm', providerOptions: { p: { signature: 's' } } },
      { type: 'text', text: 'whole' },
    ])
  })

  it('events are the same with and without streaming for listeners that receive no deltas', async () => {
    const types = async (whole: ModelHandle['whole']): Promise<readonly string[]> => {
      const heard: RunEvent[] = []
      const store = quietStore((event) => heard.push(event))
      await sessionOf(twoWayModel(() => said('streamed'), whole).handle, { store }).run('hello')
      return heard.map(({ type }) => type)
    }
    expect(await types('unwatched')).toEqual(await types(undefined))
  })

  it('an answer is streamed as soon as there is a delta listener', async () => {
    const { handle, asked } = twoWayModel(() => said('whole'))
    await sessionOf(handle, { onEvent: () => undefined }).run('hello')
    expect(asked).toEqual(['stream'])
  })

  it('an answer is streamed for an agent with reasoning, or without retries', async () => {
    const { handle, asked } = twoWayModel(() => said('whole'))
    const agent = { name: 'A', instruction: 'Think.', reasoning: 'high' as const }
    await sessionOf(handle, { agent }).run('hello')
    await sessionOf(handle, { limits: { maxRetries: 0 } }).run('hello')
    expect(asked).toEqual(['stream', 'stream'])
  })

  it('an answer without delta listeners stops with its run', async () => {
    const stop = new AbortController()
    let signal: AbortSignal | undefined
    const { handle } = twoWayModel((call) => {
      signal = call.abortSignal
      stop.abort()
      return new Promise(() => undefined)
    })
    const result = await sessionOf(handle).run('hello', { signal: stop.signal })
    expect(result).toMatchObject({ outcome: 'cancelled', failure: { code: 'run_cancelled' }, text: '' })
    expect(signal?.aborted).toBe(true)
  })

  it('an answer without streaming has the same size limit as a stream', async () => {
    const { handle } = twoWayModel(() => said('x'.repeat(1_048_577)))
    expect((await sessionOf(handle).run('hello')).failure).toMatchObject({ code: 'model_output_too_long' })
  })
})

describe('a model that takes long', () => {
  it('a model that timed out is called with streaming afterwards, also by later runs', async () => {
    const clock = fakeClock()
    const { handle, asked } = twoWayModel(() => new Promise(() => undefined))
    const session = sessionOf(handle, { clock, limits: { idleTimeout: 1000 } })
    const running = session.run('hello')
    await clock.advance(1000)
    await clock.advance(30_000)
    expect(await running).toMatchObject({ outcome: 'completed', text: 'streamed' })
    await session.run('again')
    expect(asked).toEqual(['whole', 'stream', 'stream'])
  })

  it('a model is called with streaming after an answer that took more than 20 s', async () => {
    const clock = fakeClock()
    const { handle, asked } = twoWayModel(async () => {
      await clock.advance(20_001)
      return said('late')
    })
    const session = sessionOf(handle, { clock })
    expect((await session.run('hello')).text).toBe('late')
    expect((await session.run('again')).text).toBe('streamed')
    expect(asked).toEqual(['whole', 'stream'])
  })
})

describe('a server that cannot stream', () => {
  it('answers of a server that cannot stream are emitted to delta listeners in one piece', async () => {
    const deltas: string[] = []
    const { handle, asked } = twoWayModel(() => said('all of it'), 'always')
    const onEvent = (event: RunEvent): void => {
      if (event.type === 'text-delta') deltas.push(event.text)
    }
    await sessionOf(handle, { onEvent }).run('hello')
    expect({ asked, deltas }).toEqual({ asked: ['whole'], deltas: ['all of it'] })
  })
})

/** Returns a store that persists nothing, with a listener that ignores deltas. */
function quietStore(
  listener: (event: RunEvent) => void,
): NonNullable<Parameters<typeof openSession>[0]['store']> {
  return {
    open: () => {
      const log = createDiscardingLog()
      log.subscribe(listener, { deltas: false })
      return log
    },
    roots: () => [],
    list: () => [],
    events: () => [],
    steps: () => new Map(),
    purge: () => 0,
    setLabel: () => false,
    sessions: { list: () => [], set: () => false },
    close: () => undefined,
  }
}
