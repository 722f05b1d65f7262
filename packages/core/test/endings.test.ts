import { scriptedModel } from '@troupe/testkit'
import { deferred, fakeClock, recordEvents, settle, verifies } from '@troupe/testkit/internal'
import { toolResult, type ToolDefinition } from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import { runTeam, tool } from './team.ts'

const call = (child: string, text = 'go') => ({ tool: `agent__${child}`, args: { text } })

describe('a run always ends', () => {
  it('a run ends although a child never does: the child is abandoned after its deadline and a grace period, and its late result is recorded', async () => {
    const clock = fakeClock()
    const record = recordEvents()
    const gate = deferred()
    const closing = deferred()
    const parent = scriptedModel([{ calls: [call('C')] }, { text: 'without it', wait: closing.promise }])
    const running = runTeam(
      {
        P: { fields: { limits: { childTimeout: 1000 } }, models: [parent], children: ['C'] },
        C: { models: [scriptedModel([{ text: 'x' }])] },
      },
      { clock, listener: record.listener, start: () => gate.promise as never },
    )
    await clock.advance(1000)
    expect(record.of('tool-result')).toEqual([])
    await clock.advance(1500)
    expect(record.of('tool-result')).toMatchObject([{ outcome: 'timeout', error: { code: 'child_timeout' } }])
    gate.resolve()
    await settle()
    expect(record.of('warning')).toMatchObject([{ code: 'late_result', callId: '1.1' }])
    closing.resolve()
    expect(await running).toMatchObject({ outcome: 'completed', text: 'without it' })
    expect(clock.pending()).toBe(0)
  })

  it('a run ends when it is cancelled and a child does not stop', async () => {
    const clock = fakeClock()
    const controller = new AbortController()
    const parent = scriptedModel([{ calls: [call('C')] }])
    const running = runTeam(
      { P: { models: [parent], children: ['C'] }, C: { models: [scriptedModel([])] } },
      { clock, signal: controller.signal, start: () => deferred().promise as never },
    )
    await settle()
    controller.abort()
    await clock.advance(2000)
    expect((await running).outcome).toBe('cancelled')
    expect(clock.pending()).toBe(0)
  })

  it('a run ends when it is cancelled and its last hook hangs', async () => {
    const clock = fakeClock()
    const controller = new AbortController()
    const never = deferred()
    const running = runTeam(
      {
        P: {
          models: [scriptedModel([{ text: 'x', wait: never.promise }])],
          loopHooks: { onEnd: () => never.promise },
        },
      },
      { clock, signal: controller.signal },
    )
    await settle()
    controller.abort()
    await clock.advance(500)
    expect((await running).outcome).toBe('cancelled')
  })

  it('a run ends at its deadline while a hook before a turn hangs', async () => {
    const clock = fakeClock()
    const never = deferred()
    const running = runTeam(
      { P: { models: [scriptedModel([{ text: 'x' }])], loopHooks: { beforeTurn: () => never.promise } } },
      { clock, remainingMs: 1000 },
    )
    await clock.advance(1000)
    expect(await running).toMatchObject({ outcome: 'timeout', failure: { code: 'run_timeout' } })
  })

  it(`four children that throw, hang, loop and succeed give four typed results in order, the good one complete ${verifies('A83', 'C10', 'C52', 'R6')}`, async () => {
    const clock = fakeClock()
    const record = recordEvents()
    const deaf = tool('deaf', () => deferred().promise.then(() => toolResult.text('never')))
    const note: ToolDefinition = tool('note', () => toolResult.text('noted'))
    const parent = scriptedModel([
      { calls: [call('Throws'), call('Hangs'), call('Loops'), call('Good')] },
      { text: 'summary' },
    ])
    const running = runTeam(
      {
        P: {
          fields: { limits: { childTimeout: 5000 } },
          models: [parent],
          children: ['Throws', 'Hangs', 'Loops', 'Good'],
        },
        Throws: {
          fields: { limits: { maxRetries: 0 } },
          models: [scriptedModel([{ error: new TypeError('broken') }])],
        },
        Hangs: { models: [scriptedModel([{ calls: [{ tool: 'deaf' }] }])], tools: [deaf] },
        Loops: {
          fields: { limits: { maxTurns: 3 } },
          models: [
            scriptedModel((_prompt, { index }) => ({
              calls: [{ tool: 'note' }],
              ...(index === 3 ? { text: 'so far' } : {}),
            })),
          ],
          tools: [note],
        },
        Good: { models: [scriptedModel([{ text: 'the whole good answer' }])] },
      },
      { clock, remainingMs: 10_000, listener: record.listener },
    )
    await clock.advance(5000)
    const result = await running
    expect(result).toMatchObject({ outcome: 'completed', text: 'summary' })
    expect(clock.monotonic()).toBeLessThanOrEqual(10_000)
    const told = parent.calls[1]?.prompt.at(-1)?.content as readonly {
      readonly output: { readonly type: string; readonly value: string }
    }[]
    expect(told.map(({ output }) => output.type)).toEqual(['error-text', 'error-text', 'error-text', 'text'])
    expect(told[3]?.output.value).toBe('the whole good answer')
    const own = record.of('tool-result').filter((event) => event.runId === 'root')
    const byCall = new Map(own.map((event) => [event.callId, event] as const))
    const codes = ['1.1', '1.2', '1.3', '1.4'].map(
      (id) => byCall.get(id)?.error?.code ?? byCall.get(id)?.outcome,
    )
    expect(codes).toEqual(['model_bad_stream', 'child_timeout', 'turns_exceeded', 'completed'])
    expect(record.of('run-end')).toHaveLength(5)
    expect(clock.pending()).toBe(0)
  })
})

describe('limits', () => {
  it(`ten thousand calls of one turn end at once: the allowed ones run, and the rest are refused in order ${verifies('C48')}`, async () => {
    const asked = 10_000
    let running = 0
    let most = 0
    const child = scriptedModel(async () => {
      running += 1
      most = Math.max(most, running)
      await settle(1)
      running -= 1
      return { text: 'done' }
    })
    const record = recordEvents()
    const parent = scriptedModel([{ calls: Array.from({ length: asked }, () => call('C')) }, { text: 'end' }])
    const result = await runTeam(
      {
        P: {
          fields: { limits: { maxToolCallsPerTurn: 12, maxParallel: 3 } },
          models: [parent],
          children: ['C'],
        },
        C: { models: [child] },
      },
      { listener: record.listener },
    )
    expect(result.text).toBe('end')
    expect([most, child.calls.length]).toEqual([3, 12])
    const results = record.of('tool-result')
    expect(results).toHaveLength(asked)
    expect(results.filter((event) => event.error?.code === 'calls_exceeded')).toHaveLength(asked - 12)
    const told = parent.calls[1]?.prompt.at(-1)?.content as readonly { readonly toolCallId: string }[]
    expect(told.map((part) => part.toolCallId)).toEqual(
      Array.from({ length: asked }, (_, index) => `call-${index + 1}`),
    )
  })

  it('the limits of a provider apply to all runs that call it at once', async () => {
    let running = 0
    let most = 0
    const child = scriptedModel(async () => {
      running += 1
      most = Math.max(most, running)
      await settle(1)
      running -= 1
      return { text: 'done' }
    })
    const parent = scriptedModel([{ calls: Array.from({ length: 9 }, () => call('C')) }, { text: 'end' }])
    const result = await runTeam({
      P: { fields: { limits: { maxParallel: 9 } }, models: [parent], children: ['C'] },
      C: { models: [child], maxConcurrentCalls: 2 },
    })
    expect([result.text, most, child.calls.length]).toEqual(['end', 2, 9])
  })

  it(`a tree of agents with five children each stops at exactly the maxRuns of its root run ${verifies('R4')}`, async () => {
    const wide = (child: string) => () =>
      scriptedModel((prompt) =>
        prompt.at(-1)?.role === 'tool'
          ? { text: 'done' }
          : { calls: Array.from({ length: 5 }, () => call(child)) },
      )
    const record = recordEvents()
    const result = await runTeam(
      {
        A: { fields: { limits: { maxRuns: 57 } }, models: [wide('B')()], children: ['B'] },
        B: { models: [wide('C')()], children: ['C'] },
        C: { models: [wide('D')()], children: ['D'] },
        D: { models: [scriptedModel(() => ({ text: 'leaf' }))] },
      },
      { listener: record.listener },
    )
    expect(result.outcome).toBe('completed')
    expect(record.of('run-start')).toHaveLength(57)
    expect(record.of('run-end')).toHaveLength(57)
    expect(record.of('tool-result').some((event) => event.error?.code === 'runs_exceeded')).toBe(true)
  })
})
