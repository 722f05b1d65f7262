import { failure, type AgentTool } from '@troupe/schema'
import { deferred, fakeClock, sampleEvent, verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { CLIENTS, connect } from './support/connect.ts'
import { fakeRunner } from './support/fake-runner.ts'
import { BOOK_FLIGHT, travel } from './support/travel.ts'

const NAME = 'Travel_book_flight'
const TO = { destination: 'Paris', departure_date: '2026-12-01' }
const agentWith = (extras: Partial<AgentTool>, fields: object = {}) =>
  travel({ exports: { tools: [{ ...BOOK_FLIGHT, ...extras }] }, ...fields })
const call = { name: NAME, arguments: TO }

describe(`version of an exported tool ${verifies('D53')}`, () => {
  it('an exported tool without a version has that of its agent, and clients see it with its other metadata', async () => {
    const { client } = await connect('modern', agentWith({ deprecated: 'use book_train.' }))
    const [tool] = (await client.listTools()).tools
    expect(tool).toMatchObject({
      description: `Deprecated: use book_train. ${BOOK_FLIGHT.description}`,
      _meta: { version: '1.2.0', deprecated: 'use book_train.' },
    })
    const result = await client.callTool(call)
    expect(result.isError).not.toBe(true)
    expect(result['_meta']).toMatchObject({ deprecated: 'use book_train.' })
    const { client: other } = await connect('modern', agentWith({ version: '3.0.0' }))
    expect((await other.listTools()).tools[0]).toMatchObject({ _meta: { version: '3.0.0' } })
  })
})

describe(`cached answers of an exported tool ${verifies('D53')}`, () => {
  it('a cached answer is returned for the same call until it expires', async () => {
    const clock = fakeClock()
    const runner = fakeRunner()
    const options = { clock }
    const { client, records } = await connect(
      'modern',
      agentWith({ cache: { ttl: 60_000 } }),
      runner,
      undefined,
      options,
    )
    const first = await client.callTool(call)
    const again = await client.callTool({
      name: NAME,
      arguments: Object.fromEntries(Object.entries(TO).toReversed()),
    })
    expect(again.content).toEqual(first.content)
    expect(again['_meta']).toMatchObject({ isCached: true })
    expect(again['_meta']).not.toHaveProperty('contextId')
    await client.callTool({ name: NAME, arguments: { ...TO, destination: 'Rome' } })
    expect(runner.runs).toHaveLength(2)
    await clock.advance(60_000)
    await client.callTool(call)
    expect(runner.runs).toHaveLength(3)
    expect(records.map(({ isCached }) => isCached)).toEqual([undefined, true, undefined, undefined])
  })

  it('a cached answer is returned for all calls with the same key', async () => {
    const runner = fakeRunner()
    const { client } = await connect(
      'modern',
      agentWith({ cache: { ttl: 1000, key: '{destination}' } }),
      runner,
    )
    await client.callTool(call)
    await client.callTool({ name: NAME, arguments: { ...TO, departure_date: '2027-01-01' } })
    expect(runner.runs).toHaveLength(1)
  })

  it('an answer is not cached if the agent failed or the call continues a session', async () => {
    let count = 0
    const runner = fakeRunner(() => (count++ === 0 ? { outcome: 'failed' } : {}))
    const { client } = await connect('modern', agentWith({ cache: { ttl: 1000 } }), runner)
    for (const contextId of [undefined, undefined, 'context-1'])
      await client.callTool({ ...call, ...(contextId === undefined ? {} : { _meta: { contextId } }) })
    expect(runner.runs).toHaveLength(3)
  })
})

describe(`limits of an exported tool ${verifies('D53')}`, () => {
  it('the limits of an exported tool apply to each of its runs', async () => {
    const runner = fakeRunner()
    const limits = { timeout: 5000, maxCost: 0.5, maxTokens: 900 }
    const { client } = await connect('modern', agentWith({ limits }), runner)
    await client.callTool(call)
    expect(runner.runs[0]?.options).toMatchObject({
      timeout: 5000,
      budget: { maxCost: 0.5, maxTokens: 900 },
    })
  })

  it('an exported tool limits its simultaneous calls and its calls per minute', async () => {
    const clock = fakeClock()
    const held = deferred<object>()
    const runner = fakeRunner(() => held.promise)
    const limits = { maxParallel: 2, maxPerMinute: 3 }
    const { client } = await connect('modern', agentWith({ limits }), runner, undefined, { clock })
    const codeOf = async (): Promise<unknown> => (await client.callTool(call)).structuredContent
    const two = [codeOf(), codeOf()]
    await expect.poll(() => runner.runs.length).toBe(2)
    expect(await codeOf()).toMatchObject({ code: 'export_limit', class: 'limit' })
    held.resolve({})
    await Promise.all(two)
    expect(await codeOf()).toBeUndefined()
    expect(await codeOf()).toMatchObject({ code: 'export_limit' })
    await clock.advance(60_000)
    expect(await codeOf()).toBeUndefined()
  })

  it('an exported tool limits the length of the prompt, with a default', async () => {
    const runner = fakeRunner()
    const { client } = await connect('modern', agentWith({ limits: { maxPrompt: 200 } }), runner)
    const result = await client.callTool({ name: NAME, arguments: { ...TO, destination: 'x'.repeat(200) } })
    expect(result.structuredContent).toMatchObject({ code: 'prompt_too_large' })
    const { client: other } = await connect('modern', agentWith({}), runner)
    const huge = { ...TO, destination: 'x'.repeat(4 * 1024 * 1024) }
    expect((await other.callTool({ name: NAME, arguments: huge })).structuredContent).toMatchObject({
      code: 'prompt_too_large',
    })
    expect(runner.runs).toEqual([])
  })
})

describe(`audit record of a call ${verifies('D53')}`, () => {
  it('an audit record says which tool was called, when and at what cost, without any content', async () => {
    const { client, records } = await connect('modern', agentWith({}))
    await client.callTool(call)
    await client.callTool({ name: NAME, arguments: Object.fromEntries(Object.entries(TO).toReversed()) })
    expect(records[0]).toEqual({
      agent: 'Travel',
      tool: 'book_flight',
      version: '1.2.0',
      contextId: 'context-1',
      startedAt: 0,
      argumentsHash: records[1]?.argumentsHash,
      runId: 'run_1',
      outcome: 'completed',
      durationMs: 1,
      cost: 0,
    })
    expect(JSON.stringify(records)).not.toContain('Paris')
  })

  it('a call without an audit record gets no answer', async () => {
    const { client } = await connect('modern', agentWith({}), fakeRunner(), undefined, {
      onCall: () => {
        throw new TypeError('the disk is full')
      },
    })
    expect(await client.callTool(call)).toMatchObject({
      isError: true,
      structuredContent: { message: 'the disk is full' },
    })
  })
})

describe.each(CLIENTS)('background tool, %s client', (kind) => {
  const START = `${NAME}_start`
  const POLL = `${NAME}_poll`

  it('a background tool is started, and returns its answer when it is polled', async () => {
    const clock = fakeClock()
    const held = deferred<object>()
    const runner = fakeRunner(({ options }) => {
      options.onEvent?.(sampleEvent('tool-call', { toolName: 'search' }))
      return held.promise
    })
    const options = { clock }
    const { client } = await connect(kind, agentWith({ background: true }), runner, undefined, options)
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([NAME, START, POLL])
    const started = await client.callTool({ name: START, arguments: TO })
    const { id } = started.structuredContent as { readonly id: string }
    const asked = client.callTool({ name: POLL, arguments: { id, wait: 5 } })
    await expect.poll(() => clock.pending()).toBe(1)
    await clock.advance(5000)
    expect(await asked).toMatchObject({
      structuredContent: { id, state: 'working' },
      content: [{ text: expect.stringContaining('calls search') }],
    })
    held.resolve({ output: { format: 'text', text: 'Booked.' } })
    for (let count = 0; count < 2; count += 1)
      expect((await client.callTool({ name: POLL, arguments: { id } })).content).toEqual([
        { type: 'text', text: 'Booked.' },
      ])
    expect(runner.runs).toHaveLength(1)
  })

  it('a background call continues when its client disconnects, and ends when it is cancelled', async () => {
    const stopped = deferred<unknown>()
    const runner = fakeRunner(async ({ options: { signal } }) => {
      signal?.addEventListener('abort', () => stopped.resolve(signal.reason))
      await stopped.promise
      return { outcome: 'cancelled', error: failure('run_cancelled', 'The client cancelled the call.') }
    })
    const { client } = await connect(kind, agentWith({ background: true }), runner)
    const { structuredContent } = await client.callTool({ name: START, arguments: TO })
    const { id } = structuredContent as { readonly id: string }
    const leave = new AbortController()
    const asked = Promise.allSettled([
      client.callTool({ name: POLL, arguments: { id } }, { signal: leave.signal }),
    ])
    leave.abort()
    expect(await asked).toMatchObject([{ status: 'rejected' }])
    expect(runner.runs[0]?.options.signal?.aborted).toBe(false)
    const ended = await client.callTool({ name: POLL, arguments: { id, cancel: true } })
    expect(ended.structuredContent).toMatchObject({ code: 'run_cancelled' })
  })

  it('a background call asks for human input through the client that polls', async () => {
    const runner = fakeRunner(async ({ options: { ask } }) => {
      const said = await ask?.(
        { question: 'Where to?', runId: 'r', agent: 'a', instance: 'a', toolName: 't' },
        new AbortController().signal,
      )
      return { output: { format: 'text', text: JSON.stringify(said) } }
    })
    const person = () => ({ action: 'accept' as const, content: { answer: 'Rome' } })
    const { client } = await connect(kind, agentWith({ background: true }), runner, person)
    const { structuredContent } = await client.callTool({ name: START, arguments: TO })
    const { id } = structuredContent as { readonly id: string }
    const result = await client.callTool({ name: POLL, arguments: { id } })
    expect(JSON.stringify(result.content)).toContain('Rome')
  })

  it('a background tool rejects invalid arguments and unknown ids immediately', async () => {
    const { client } = await connect(kind, agentWith({ background: true }))
    expect(await client.callTool({ name: START, arguments: {} })).toMatchObject({
      structuredContent: { code: 'tool_bad_arguments' },
    })
    expect(await client.callTool({ name: POLL, arguments: { id: 'x' } })).toMatchObject({
      structuredContent: { code: 'input_invalid' },
    })
    expect(await client.callTool({ name: POLL, arguments: { wait: 5 } })).toMatchObject({
      structuredContent: { code: 'tool_bad_arguments' },
    })
  })

  it('a background tool that requires human input is rejected if the client cannot provide it', async () => {
    const runner = fakeRunner()
    const { client } = await connect(kind, agentWith({ needsPerson: true }), runner)
    const [refused] = await Promise.allSettled([client.callTool(call)])
    expect(refused).toMatchObject(
      kind === 'modern'
        ? { status: 'rejected', reason: { code: -32_021 } }
        : { value: { structuredContent: { code: 'person_required' } } },
    )
    expect(runner.runs).toEqual([])
  })
})
