import { failure, type RunEvent } from '@troupe/schema'
import { deferred, sampleEvent, settle, verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { CLIENTS, connect } from './support/connect.ts'
import { fakeRunner } from './support/fake-runner.ts'
import { BOOK_FLIGHT, travel } from './support/travel.ts'

const NAME = 'Travel_book_flight'
const ARGUMENTS = { destination: 'Paris, France', departure_date: '2026-12-01' }
const PROMPT = 'The user wants to book a flight to Paris, France on 2026-12-01, please book accordingly'
const HOUR = { type: 'object', properties: { hour: { type: 'integer' } }, required: ['hour'] } as const

describe.each(CLIENTS)('%s client', (kind) => {
  it(`an MCP client sees the agent as the server ${verifies('D2', 'D34', 'R13')}`, async () => {
    const { client } = await connect(kind, travel())
    expect(client.getServerVersion()).toMatchObject({ name: 'Travel', version: '1.2.0' })
    expect(client.getInstructions()).toBe('Books journeys.')
  })

  it(`an MCP client lists the tools as the card describes them ${verifies('D6', 'D22')}`, async () => {
    const { client } = await connect(kind, travel())
    const { tools } = await client.listTools()
    expect(tools).toEqual([
      expect.objectContaining({
        name: NAME,
        title: 'book_flight',
        description: BOOK_FLIGHT.description,
        inputSchema: BOOK_FLIGHT.parameters,
        annotations: { readOnlyHint: true, openWorldHint: false },
      }),
    ])
  })

  it(`an MCP client gets the answer of a run whose message is the filled-in prompt ${verifies('D23')}`, async () => {
    const runner = fakeRunner(() => ({ output: { format: 'text', text: 'Booked.' } }))
    const { client } = await connect(kind, travel(), runner)
    const result = await client.callTool({ name: NAME, arguments: ARGUMENTS })
    expect(result.content).toEqual([{ type: 'text', text: 'Booked.' }])
    expect(result.isError).not.toBe(true)
    expect(runner.runs).toEqual([
      expect.objectContaining({
        agent: 'Travel',
        input: PROMPT,
        options: expect.objectContaining({ headless: true }),
      }),
    ])
  })

  it(`every call gets its own session and returns its id ${verifies('D29')}`, async () => {
    const runner = fakeRunner()
    const { client } = await connect(kind, travel(), runner)
    const call = () => client.callTool({ name: NAME, arguments: ARGUMENTS })
    const results = [await call(), await call()]
    expect(results.map(({ _meta: meta }) => meta?.['contextId'])).toEqual(['context-1', 'context-2'])
    expect(runner.runs.map(({ options }) => options.sessionId)).toEqual(['context-1', 'context-2'])
  })

  it('arguments that are nested too deep get an error, and no run starts', async () => {
    const runner = fakeRunner()
    const { client } = await connect(kind, travel(), runner)
    const more = JSON.parse(`${'['.repeat(2000)}${']'.repeat(2000)}`) as unknown
    const result = await client.callTool({ name: NAME, arguments: { ...ARGUMENTS, more } })
    expect(result.isError).toBe(true)
    expect(JSON.stringify(result)).toContain(`The arguments of ${NAME} are nested more than 64 levels deep.`)
    expect(runner.runs).toEqual([])
  })

  it('a JSON answer is returned as text and as structured content, and its schema is listed', async () => {
    const runner = fakeRunner(() => ({ output: { format: 'json', text: '{"hour":5}', value: { hour: 5 } } }))
    const agent = travel({ output: { format: 'json', schema: HOUR } })
    const { client } = await connect(kind, agent, runner)
    const { tools } = await client.listTools()
    expect(tools[0]?.outputSchema).toMatchObject(HOUR)
    const result = await client.callTool({ name: NAME, arguments: ARGUMENTS })
    expect(result.structuredContent).toEqual({ hour: 5 })
    expect(result.content).toEqual([{ type: 'text', text: '{"hour":5}' }])
  })

  it(`a failed run is returned as a result for people and for programs ${verifies('D31')}`, async () => {
    const error = failure('model_overloaded', 'The provider is busy.')
    const runner = fakeRunner(() => ({
      outcome: 'failed',
      output: { format: 'text', text: 'So far' },
      error,
    }))
    const { client, records } = await connect(kind, travel(), runner)
    const result = await client.callTool({ name: NAME, arguments: ARGUMENTS })
    expect(result.isError).toBe(true)
    expect(result.content).toEqual([
      { type: 'text', text: 'Error: The provider is busy.' },
      { type: 'text', text: expect.stringContaining('Class: model. Code: model_overloaded.') },
      { type: 'text', text: 'Output before it ended:\nSo far' },
    ])
    expect(result.structuredContent).toMatchObject({
      outcome: 'failed',
      code: 'model_overloaded',
      agent: 'Travel',
      runId: 'run_1',
      partial: 'So far',
    })
    expect(records).toEqual([expect.objectContaining({ tool: 'book_flight', outcome: 'failed', error })])
  })

  it('a failure is returned beside the structured content if that has a schema', async () => {
    const runner = fakeRunner(() => ({ outcome: 'failed', output: { format: 'json' } }))
    const agent = travel({ output: { format: 'json', schema: HOUR } })
    const { client } = await connect(kind, agent, runner)
    await client.listTools()
    const result = await client.callTool({ name: NAME, arguments: ARGUMENTS })
    expect(result.isError).toBe(true)
    expect(result.structuredContent).toBeUndefined()
    expect(result['_meta']).toMatchObject({ failure: { outcome: 'failed', code: 'child_failed' } })
  })

  it('invalid arguments get an error, and no run starts', async () => {
    const runner = fakeRunner()
    const { client } = await connect(kind, travel(), runner)
    const result = await client.callTool({ name: NAME, arguments: { destination: 7 } })
    expect(result.isError).toBe(true)
    expect(result.structuredContent).toMatchObject({ code: 'tool_bad_arguments' })
    expect(runner.runs).toEqual([])
  })

  it('an unknown tool gets a protocol error', async () => {
    const { client } = await connect(kind, travel())
    await expect(client.callTool({ name: 'toString', arguments: {} })).rejects.toThrowError(
      /Unknown tool: toString/u,
    )
  })

  it(`a call continues the session of an earlier call by its id ${verifies('D52', 'R19')}`, async () => {
    const runner = fakeRunner()
    const { client } = await connect(kind, travel(), runner)
    const first = await client.callTool({ name: NAME, arguments: ARGUMENTS })
    const { contextId } = first['_meta'] ?? {}
    const second = await client.callTool({ name: NAME, arguments: ARGUMENTS, _meta: { contextId } })
    expect(second['_meta']).toMatchObject({ contextId: 'context-1' })
    expect(runner.runs.map(({ options }) => [options.sessionId, options.continueOnly])).toEqual([
      ['context-1', false],
      ['context-1', true],
    ])
  })

  it('an invalid session id gets an error', async () => {
    const { client } = await connect(kind, travel())
    const result = await client.callTool({ name: NAME, arguments: ARGUMENTS, _meta: { contextId: 7 } })
    expect(result.structuredContent).toMatchObject({ code: 'input_invalid' })
  })

  it('an MCP client gets progress of the run with rising numbers', async () => {
    const events: readonly RunEvent[] = [
      sampleEvent('turn-start', { turn: 1 }),
      sampleEvent('text-delta', { text: 'a' }),
      sampleEvent('text-delta', { text: 'b' }),
      sampleEvent('tool-call', { toolName: 'search' }),
    ]
    const runner = fakeRunner(({ options }) => {
      for (const event of events) options.onEvent?.(event)
      return {}
    })
    const { client } = await connect(kind, travel(), runner)
    const heard: { readonly progress: number; readonly message?: string | undefined }[] = []
    await client.callTool(
      { name: NAME, arguments: ARGUMENTS },
      {
        onprogress: (progress) => void heard.push(progress),
      },
    )
    expect(heard.map(({ progress }) => progress)).toEqual([1, 2, 3])
    expect(heard.at(-1)?.message).toContain('calls search')
  })

  it('an MCP client stops the run when it cancels the call', async () => {
    const stopped = deferred<unknown>()
    const runner = fakeRunner(async ({ options: { signal } }) => {
      signal?.addEventListener('abort', () => stopped.resolve(signal.reason))
      await stopped.promise
      return { outcome: 'cancelled' }
    })
    const { client } = await connect(kind, travel(), runner)
    const cancel = new AbortController()
    const call = client.callTool({ name: NAME, arguments: ARGUMENTS }, { signal: cancel.signal })
    const settled = Promise.allSettled([call])
    await expect.poll(() => runner.runs.length).toBe(1)
    cancel.abort()
    expect(await stopped.promise).toMatchObject({ code: 'run_cancelled' })
    expect(await settled).toMatchObject([{ status: 'rejected' }])
  })

  it('a disconnect of the MCP client stops its runs', async () => {
    const stopped = deferred<unknown>()
    const runner = fakeRunner(async ({ options: { signal } }) => {
      signal?.addEventListener('abort', () => stopped.resolve(signal.reason))
      await stopped.promise
      return { outcome: 'cancelled' }
    })
    const { client, leave } = await connect(kind, travel(), runner)
    client.callTool({ name: NAME, arguments: ARGUMENTS }).catch(() => {
      // the question is never answered
    })
    await expect.poll(() => runner.runs.length).toBe(1)
    leave()
    expect(await stopped.promise).toMatchObject({ code: 'run_cancelled' })
  })
})

it('a run that cannot start is a failed call', async () => {
  const runner = fakeRunner(() => Promise.reject(new TypeError('the host is gone')))
  const { client } = await connect('modern', travel(), runner)
  const result = await client.callTool({ name: NAME, arguments: ARGUMENTS })
  expect(result.structuredContent).toMatchObject({ code: 'internal', message: 'the host is gone' })
})

it('a partial answer is marked as partial', async () => {
  const runner = fakeRunner(() => ({
    outcome: 'partial',
    output: { format: 'text', text: 'Half' },
    error: failure('turns_exceeded', 'Out of turns.'),
  }))
  const { client } = await connect('modern', travel(), runner)
  const result = await client.callTool({ name: NAME, arguments: ARGUMENTS })
  expect(result.content).toEqual([
    { type: 'text', text: 'Half' },
    { type: 'text', text: 'Partial answer: Out of turns.' },
  ])
  expect(result.isError).not.toBe(true)
})

it('defaults of the parameters are filled in before the prompt', async () => {
  const runner = fakeRunner()
  const tool = {
    ...BOOK_FLIGHT,
    parameters: { type: 'object', properties: { seat: { type: 'string', default: 'window' } } },
    prompt: '{name}: {seat}',
  } as const
  const { client } = await connect('modern', travel({ exports: { tools: [tool] } }), runner)
  await client.callTool({ name: NAME, arguments: {} })
  await settle()
  expect(runner.runs[0]?.input).toBe('book_flight: window')
})
