import { NO_USAGE } from '@troupe/schema'
import { sampleEvent, verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { accountsAt, accountsOf } from '../src/index.ts'
import { numbered, twoCities } from './two-cities.ts'

describe('accountsOf', () => {
  it(`accountsOf has one row per agent, however many instances ran ${verifies('A12', 'A24')}`, () => {
    const child = { agent: 'Child', depth: 1, parentRunId: 'root' }
    const { byAgent } = accountsOf(
      numbered([
        sampleEvent('run-start', { runId: 'root', agent: 'Boss' }),
        ...['a', 'b', 'c'].flatMap((runId, index) => [
          sampleEvent('run-start', { ...child, runId, instance: `Child[${index + 1}]` }),
          sampleEvent('usage', {
            ...child,
            runId,
            tokens: { ...NO_USAGE, input: 10, micros: 3, modelCalls: 1 },
          }),
          sampleEvent('run-end', { ...child, runId, durationMs: 100 }),
        ]),
      ]),
    )
    expect(
      byAgent.map((row) => [row.agent, row.runs, row.usage.input, row.usage.micros, row.durationMs]),
    ).toEqual([
      ['Boss', 1, 0, 0, 0],
      ['Child', 3, 30, 9, 300],
    ])
  })

  it(`accountsOf has one row per instance with its start, end and duration ${verifies('A89')}`, () => {
    expect(accountsOf(twoCities()).byInstance).toMatchObject([
      {
        runId: 'root',
        instance: 'Time',
        startedAt: 1000,
        endedAt: 2000,
        durationMs: 1000,
        outcome: 'completed',
      },
      { runId: 'child-1', instance: 'New-York[1]', startedAt: 1100, endedAt: 1500, durationMs: 400 },
      { runId: 'child-2', instance: 'London[2]', startedAt: 1500, endedAt: 1600, outcome: 'failed' },
    ])
  })

  it(`accountsOf names provider, model, tokens, cost and latency of each ${verifies('C54')}`, () => {
    const [root] = accountsOf(twoCities()).byAgent
    expect(root?.models).toEqual([
      {
        provider: 'script',
        model: 'script',
        usage: { ...NO_USAGE, input: 100, output: 20, micros: 30, modelCalls: 1 },
        latencyMs: 40,
      },
    ])
  })

  it(`accountsOf counts the calls of each tool with outcomes, bytes and latency ${verifies('C55')}`, () => {
    const call = { runId: 'root', toolName: 'time__now', source: 'mcp', server: 'time' } as const
    const { byAgent, total } = accountsOf(
      numbered([
        sampleEvent('tool-result', { ...call, bytesIn: 10, bytesOut: 100, durationMs: 5, attempts: 2 }),
        sampleEvent('tool-result', { ...call, bytesIn: 1, bytesOut: 2, durationMs: 3, outcome: 'failed' }),
        sampleEvent('tool-result', { ...call, toolName: 'time__zone' }),
      ]),
    )
    expect(byAgent[0]?.tools[0]).toEqual({
      toolName: 'time__now',
      source: 'mcp',
      server: 'time',
      calls: 2,
      attempts: 3,
      outcomes: { completed: 1, failed: 1 },
      bytesIn: 11,
      bytesOut: 102,
      durationMs: 8,
    })
    expect(total.toolCalls).toBe(3)
  })

  it('accountsOf counts an entry whose run start was not seen', () => {
    const { total, byInstance } = accountsOf(numbered([sampleEvent('usage', { runId: 'late' })]))
    expect(total.modelCalls).toBe(1)
    expect(byInstance).toHaveLength(1)
  })
})

describe('accountsAt', () => {
  it('accountsAt counts the time of unfinished runs and does not change finished ones', () => {
    const open = twoCities().filter(({ type, runId }) => type !== 'run-end' || runId === 'child-1')
    const { byAgent, byInstance } = accountsAt(accountsOf(open), 1900)
    expect(byInstance.map(({ runId, durationMs }) => [runId, durationMs])).toEqual([
      ['root', 900],
      ['child-1', 400],
      ['child-2', 400],
    ])
    expect(byAgent.map(({ agent, durationMs }) => [agent, durationMs])).toEqual([
      ['Time', 900],
      ['New-York', 400],
      ['London', 400],
    ])
    const ended = accountsOf(twoCities())
    expect(accountsAt(ended, 9000)).toBe(ended)
  })
})
