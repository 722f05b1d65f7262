import { APICallError } from '@ai-sdk/provider'
import { openSession } from '@troupe/core'
import { scriptedModel } from '@troupe/testkit'
import { deferred, fakeClock, recordEvents, settle, verifies } from '@troupe/testkit/internal'
import { describe, expect, it, vi } from 'vitest'
import { runTeam, tool } from './team.ts'

describe('the loop', () => {
  it(`the loop answers in one turn, emits its events in order and writes nothing to stdout or stderr ${verifies('C13', 'C57')}`, async () => {
    const record = recordEvents()
    const writes = [vi.spyOn(process.stdout, 'write'), vi.spyOn(process.stderr, 'write')]
    const result = await runTeam(
      { A: { models: [scriptedModel([{ text: 'hi there' }])] } },
      { listener: record.listener },
    )
    expect(writes.flatMap((write) => write.mock.calls)).toEqual([])
    for (const write of writes) write.mockRestore()
    expect(result).toMatchObject({ outcome: 'completed', text: 'hi there', agent: 'A' })
    expect(record.types().filter((type) => type !== 'text-delta')).toEqual([
      'run-start',
      'turn-start',
      'text-start',
      'text-end',
      'usage',
      'turn-end',
      'run-end',
    ])
    expect(record.events.filter((event) => event.seq !== undefined).map((event) => event.seq)).toEqual([
      1, 2, 3, 4, 5,
    ])
  })

  it(`the loop calls tools, returns the results and continues until the model answers ${verifies('A5', 'A10', 'C30')}`, async () => {
    const model = scriptedModel([{ calls: [{ tool: 'add', args: { a: 1 }, id: 'x' }] }, { text: 'it is 2' }])
    const result = await runTeam({
      A: { models: [model], tools: [tool('add', (args) => Number(args['a']) + 1)] },
    })
    expect(result.text).toBe('it is 2')
    expect(model.calls[1]?.prompt.map((message) => message.role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
    ])
    expect(model.calls[1]?.prompt.at(-1)?.content).toMatchObject([
      { type: 'tool-result', toolCallId: 'x', output: { type: 'text', value: '2' } },
    ])
  })

  it(`the loop runs the calls of a turn in parallel and keeps the order of the model ${verifies('A2', 'A58', 'A69', 'A71')}`, async () => {
    const first = deferred<string>()
    const started: string[] = []
    const slow = tool('slow', () => {
      started.push('slow')
      return first.promise
    })
    const fast = tool('fast', () => {
      started.push('fast')
      first.resolve('slow done')
      return 'fast done'
    })
    const model = scriptedModel([
      {
        calls: [
          { tool: 'slow', args: {} },
          { tool: 'fast', args: {} },
        ],
      },
      { text: 'done' },
    ])
    await runTeam({ A: { models: [model], tools: [slow, fast] } })
    expect(started).toEqual(['slow', 'fast'])
    const parts = model.calls[1]?.prompt.at(-1)?.content as readonly {
      readonly output: { readonly value: string }
    }[]
    expect(parts.map((part) => part.output.value)).toEqual(['slow done', 'fast done'])
  })

  it('the loop runs the calls in series if the card says so', async () => {
    let running = 0
    let most = 0
    const step = tool('step', async () => {
      running += 1
      most = Math.max(most, running)
      await settle()
      running -= 1
    })
    const model = scriptedModel([
      {
        calls: [
          { tool: 'step', args: {} },
          { tool: 'step', args: {} },
        ],
      },
      { text: 'ok' },
    ])
    await runTeam({ A: { fields: { limits: { parallelToolCalls: false } }, models: [model], tools: [step] } })
    expect(most).toBe(1)
  })

  it('the loop closes with one turn without tools when the turns are used up, and the outcome is partial', async () => {
    const again = { calls: [{ tool: 'noop', args: {} }] }
    const model = scriptedModel([again, again, { text: 'so far' }])
    let ran = 0
    const result = await runTeam({
      A: { fields: { limits: { maxTurns: 2 } }, models: [model], tools: [tool('noop', () => (ran += 1))] },
    })
    expect(result).toMatchObject({
      outcome: 'partial',
      text: 'so far',
      failure: { code: 'turns_exceeded', class: 'limit' },
    })
    expect(ran).toBe(1)
    expect(model.calls[2]?.options.toolChoice).toEqual({ type: 'none' })
    model.assertDone()
  })

  it('the loop fails with its last text if the closing turn has no answer', async () => {
    const again = { calls: [{ tool: 'noop', args: {} }] }
    const result = await runTeam({
      A: {
        fields: { limits: { maxTurns: 1 } },
        models: [scriptedModel([again])],
        tools: [tool('noop', () => 1)],
      },
    })
    expect(result).toMatchObject({ outcome: 'failed', failure: { code: 'turns_exceeded' } })
  })

  it('the loop refuses the calls beyond the limit of a turn, in order, and runs the others', async () => {
    const model = scriptedModel([
      {
        calls: [
          { tool: 'a', args: {} },
          { tool: 'a', args: {} },
          { tool: 'a', args: {} },
        ],
      },
      { text: 'ok' },
    ])
    let ran = 0
    const record = recordEvents()
    await runTeam(
      {
        A: {
          fields: { limits: { maxToolCallsPerTurn: 2 } },
          models: [model],
          tools: [tool('a', () => (ran += 1))],
        },
      },
      { listener: record.listener },
    )
    expect(ran).toBe(2)
    const refused = record.of('tool-result').find((event) => event.callId === '1.3')
    expect(refused?.error?.code).toBe('calls_exceeded')
  })

  it(`the loop answers a call of an unknown tool with an error that names it ${verifies('A48', 'A61', 'A62')}`, async () => {
    const model = scriptedModel([{ calls: [{ tool: 'agent__Nobody', args: {} }] }, { text: 'ok' }])
    const record = recordEvents()
    await runTeam({ A: { models: [model], tools: [tool('known', () => 1)] } }, { listener: record.listener })
    expect(JSON.stringify(model.calls[1]?.prompt.at(-1))).toContain(
      'Error: Unknown agent-tool: agent__Nobody',
    )
    expect(record.of('tool-result')).toMatchObject([
      {
        callId: '1.1',
        outcome: 'failed',
        error: { code: 'tool_unknown', remediation: 'Known tools: known' },
      },
    ])
    expect(record.of('tool-start')).toEqual([])
  })

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'the loop has no tool named %s',
    async (name) => {
      const model = scriptedModel([{ calls: [{ tool: name, args: {} }] }, { text: 'ok' }])
      const record = recordEvents()
      await runTeam(
        { A: { models: [model], tools: [tool('known', () => 1)] } },
        { listener: record.listener },
      )
      expect(record.of('tool-result')[0]?.error?.code).toBe('tool_unknown')
    },
  )

  it('the loop reports invalid arguments to the model and does not run the tool', async () => {
    const model = scriptedModel([{ calls: [{ tool: 'a', args: { bad: 1 } }] }, { text: 'ok' }])
    let ran = 0
    await runTeam({ A: { models: [model], tools: [tool('a', () => (ran += 1))] } })
    expect(ran).toBe(0)
    expect(JSON.stringify(model.calls[1]?.prompt.at(-1))).toContain('/bad is not allowed')
  })

  it('the loop gives calls without an id, or with a repeated one, an id of their own', async () => {
    const model = scriptedModel([
      {
        calls: [
          { tool: 'a', args: {}, id: 'same' },
          { tool: 'a', args: {}, id: 'same' },
          { tool: 'a', args: {}, id: '' },
        ],
      },
      { text: 'ok' },
    ])
    await runTeam({ A: { models: [model], tools: [tool('a', () => 1)] } })
    const parts = model.calls[1]?.prompt.at(-1)?.content as readonly { readonly toolCallId: string }[]
    expect(new Set(parts.map((part) => part.toolCallId)).size).toBe(3)
    expect(parts.every((part) => part.toolCallId !== '')).toBe(true)
  })
})

describe('a model', () => {
  it('a model is opened once per run, so that a scripted one continues with its next step', async () => {
    let opened = 0
    const model = scriptedModel([{ calls: [{ tool: 'a', args: {} }] }, { text: 'ok' }])
    const handle = {
      id: 'test/m',
      provider: 'test',
      limiterKey: 'test',
      open: () => {
        opened += 1
        return model
      },
    }
    const session = openSession({
      agent: { name: 'A', instruction: 'x' },
      model: handle,
      tools: [tool('a', () => 1)],
      validate: (_schema, args) => ({ ok: true, args }),
    })
    await session.run('go')
    expect(opened).toBe(1)
  })
})

describe('a model that fails', () => {
  const overloaded = new APICallError({
    message: 'busy',
    url: 'http://127.0.0.1',
    requestBodyValues: {},
    statusCode: 529,
  })
  const refused = new APICallError({
    message: 'no such key',
    url: 'http://127.0.0.1',
    requestBodyValues: {},
    statusCode: 401,
  })

  it('a model that fails is retried if that may help', async () => {
    const clock = fakeClock()
    const record = recordEvents()
    const model = scriptedModel([{ error: overloaded }, { text: 'now' }])
    const running = runTeam({ A: { models: [model] } }, { clock, listener: record.listener })
    await clock.advance(60_000)
    expect((await running).text).toBe('now')
    expect(record.of('model-retry')).toMatchObject([{ attempt: 1, code: 'model_overloaded' }])
  })

  it('a model that rejected the key is not retried', async () => {
    const result = await runTeam({ A: { models: [scriptedModel([{ error: refused }])] } })
    expect(result).toMatchObject({ outcome: 'failed', failure: { class: 'auth', code: 'model_auth' } })
  })

  it('a model that fails is followed by the next of the list', async () => {
    const record = recordEvents()
    const result = await runTeam(
      { A: { models: [scriptedModel([{ error: refused }]), scriptedModel([{ text: 'second' }])] } },
      { listener: record.listener },
    )
    expect(result.text).toBe('second')
    expect(record.of('model-fallback')).toMatchObject([
      { from: 'test/A-0', to: 'test/A-1', code: 'model_auth' },
    ])
  })

  it('a model whose stream breaks off has no answer', async () => {
    const clock = fakeClock()
    const broken = {
      parts: [
        { type: 'text-start' as const, id: '1' },
        { type: 'text-delta' as const, id: '1', delta: 'half' },
      ],
    }
    const running = runTeam({ A: { models: [scriptedModel([broken, broken, broken])] } }, { clock })
    await clock.advance(300_000)
    expect(await running).toMatchObject({ outcome: 'failed', failure: { code: 'model_bad_stream' } })
  })

  it('a model that sends nothing times out', async () => {
    const clock = fakeClock()
    const never = deferred()
    const running = runTeam(
      {
        A: {
          fields: { limits: { maxRetries: 0 } },
          models: [scriptedModel([{ text: 'late', wait: never.promise }])],
        },
      },
      { clock },
    )
    await clock.advance(600_001)
    expect(await running).toMatchObject({ outcome: 'timeout', failure: { code: 'model_timeout' } })
  })
})

describe('the end of a run', () => {
  it(`a run ends once, as cancelled, when the caller cancels it during a model answer ${verifies('C47')}`, async () => {
    const controller = new AbortController()
    const record = recordEvents()
    const never = deferred()
    const running = runTeam(
      { A: { models: [scriptedModel([{ text: 'x', wait: never.promise }])] } },
      { signal: controller.signal, listener: record.listener },
    )
    await settle()
    controller.abort()
    expect(await running).toMatchObject({ outcome: 'cancelled', failure: { code: 'run_cancelled' } })
    expect(record.of('run-end')).toHaveLength(1)
    expect(record.types().at(-1)).toBe('run-end')
  })

  it(`a run ends when the caller cancels it while a tool ignores its signal, and the late result is discarded ${verifies('C47')}`, async () => {
    const controller = new AbortController()
    const never = deferred<string>()
    const seen = deferred<AbortSignal>()
    const model = scriptedModel([{ calls: [{ tool: 'deaf', args: {} }] }])
    const deaf = tool('deaf', (_args, ctx) => {
      seen.resolve(ctx.signal)
      return never.promise
    })
    const running = runTeam({ A: { models: [model], tools: [deaf] } }, { signal: controller.signal })
    const signal = await seen.promise
    controller.abort()
    expect((await running).outcome).toBe('cancelled')
    expect(signal.aborted).toBe(true)
    never.resolve('too late')
    await settle()
  })

  it('a run ends at its deadline, as timeout, with the text so far', async () => {
    const clock = fakeClock()
    const never = deferred<string>()
    const model = scriptedModel([{ text: 'let me look', calls: [{ tool: 'deaf', args: {} }] }])
    const running = runTeam(
      { A: { models: [model], tools: [tool('deaf', () => never.promise)] } },
      { clock, remainingMs: 1000 },
    )
    await clock.advance(1000)
    expect(await running).toMatchObject({
      outcome: 'timeout',
      text: 'let me look',
      failure: { code: 'run_timeout' },
    })
    expect(clock.pending()).toBe(0)
  })

  it('a run that times out before it starts names the MCP servers that it was waiting for', async () => {
    const clock = fakeClock()
    const running = runTeam(
      {
        A: {
          models: [],
          fields: { servers: ['fs'], mcpServers: { notes: { command: 'notes' } } },
          prepare: () => deferred().promise,
        },
      },
      { clock, remainingMs: 1000 },
    )
    await clock.advance(1000)
    expect(await running).toMatchObject({
      outcome: 'timeout',
      failure: {
        code: 'run_timeout',
        message:
          'The run did not finish within 1000 ms: it was still waiting for its MCP servers to start (fs, notes).',
      },
    })
  })

  it('a run ends as failed when the session cannot be prepared', async () => {
    const record = recordEvents()
    const result = await runTeam(
      { A: { models: [], prepare: () => Promise.reject(new TypeError('no server')) } },
      { listener: record.listener },
    )
    expect(result).toMatchObject({ outcome: 'failed', failure: { class: 'internal', message: 'no server' } })
    expect(record.types()).toEqual(['run-start', 'run-end'])
  })

  it('a run ends normally if a listener throws', async () => {
    const result = await runTeam(
      { A: { models: [scriptedModel([{ text: 'fine' }])] } },
      {
        listener: () => {
          throw new TypeError('a bad listener')
        },
      },
    )
    expect(result.outcome).toBe('completed')
  })
})
