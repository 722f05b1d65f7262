import { scriptedModel } from '@troupe/testkit'
import { deferred, fakeClock, recordEvents, settle, verifies } from '@troupe/testkit/internal'
import { NO_USAGE, sumUsage } from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import { runTeam, tool } from './team.ts'

const call = (child: string, text = 'go') => ({ tool: `agent__${child}`, args: { text } })

describe('a child', () => {
  it(`a child is a fresh session named by its position among the child calls of the turn ${verifies('A8', 'A17', 'A23', 'A64', 'A65', 'C16')}`, async () => {
    const record = recordEvents()
    const child = scriptedModel((prompt) => ({ text: `saw ${prompt.length} messages` }))
    // calls of other tools and refused calls do not count
    const other = [
      { tool: 'look', args: {} },
      { tool: 'agent__Nobody', args: {} },
    ]
    const parent = scriptedModel([
      { calls: [...other, call('C', 'one'), call('C', 'two')] },
      { text: 'both' },
    ])
    await runTeam(
      {
        P: { models: [parent], children: ['C'], tools: [tool('look', () => 'seen')] },
        C: { models: [child] },
      },
      { listener: record.listener },
    )
    expect(record.of('run-start').map((event) => event.instance)).toEqual(['P', 'C[1]', 'C[2]'])
    expect(child.calls.map((each) => each.prompt.length)).toEqual([2, 2])
    expect(record.of('run-start').map((event) => event.depth)).toEqual([0, 1, 1])
    expect(record.of('run-start')[1]).toMatchObject({ parentRunId: 'root', rootRunId: 'root', callId: '1.3' })
  })

  it(`children run in parallel, at most maxParallel at once, and the rest are queued in order ${verifies('A2', 'C48')}`, async () => {
    const gates = [deferred(), deferred(), deferred()]
    const started: string[] = []
    const record = recordEvents()
    const child = scriptedModel(async (prompt) => {
      const text = JSON.stringify(prompt.at(-1))
      const index = Number(/"text":"(?<n>\d)"/u.exec(text)?.groups?.['n'])
      started.push(String(index))
      await gates[index]?.promise
      return { text: `done ${index}` }
    })
    const parent = scriptedModel([
      { calls: [call('C', '0'), call('C', '1'), call('C', '2')] },
      { text: 'all' },
    ])
    const running = runTeam(
      {
        P: { fields: { limits: { maxParallel: 2 } }, models: [parent], children: ['C'] },
        C: { models: [child] },
      },
      { listener: record.listener },
    )
    await settle()
    expect(started).toEqual(['0', '1'])
    expect(record.of('tool-queued')).toMatchObject([{ callId: '1.3', position: 1 }])
    gates[1]?.resolve()
    await settle()
    expect(started).toEqual(['0', '1', '2'])
    for (const gate of gates) gate.resolve()
    expect((await running).text).toBe('all')
  })

  it(`the usage of children is merged by agent name, and the rows sum to the total ${verifies('A12', 'A21', 'A77', 'C53')}`, async () => {
    const parent = scriptedModel([
      { calls: [call('C'), call('C')], usage: { input: 10, output: 1 } },
      { text: 'x', usage: { input: 20, output: 2 } },
    ])
    const child = scriptedModel(() => ({ text: 'y', usage: { input: 5, output: 3 } }))
    const result = await runTeam({ P: { models: [parent], children: ['C'] }, C: { models: [child] } })
    expect(result.byAgent['C']).toMatchObject({ input: 10, output: 6, modelCalls: 2 })
    expect(result.byAgent['P']).toMatchObject({ input: 30, output: 3, modelCalls: 2, toolCalls: 2 })
    expect(sumUsage(Object.values(result.byAgent))).toEqual(result.usage)
    expect(result.usage).not.toEqual(NO_USAGE)
  })

  it(`a failed child is an error for its parent, does not affect its siblings, and its end is an event ${verifies('C10', 'A49', 'A66')}`, async () => {
    const parent = scriptedModel([{ calls: [call('Bad'), call('Good')] }, { text: 'continued' }])
    const record = recordEvents()
    await runTeam(
      {
        P: { models: [parent], children: ['Bad', 'Good'] },
        Bad: {
          models: [scriptedModel([{ error: new TypeError('broken') }])],
          fields: { limits: { maxRetries: 0 } },
        },
        Good: { models: [scriptedModel([{ text: 'fine' }])] },
      },
      { listener: record.listener },
    )
    expect(
      record
        .of('tool-result')
        .map((event) => event.outcome)
        .toSorted(),
    ).toEqual(['completed', 'failed'])
    expect(record.of('run-end').map((event) => [event.instance, event.outcome])).toContainEqual([
      'Bad[1]',
      'failed',
    ])
  })

  it('a child ends before its parent when the parent is cancelled', async () => {
    const controller = new AbortController()
    const record = recordEvents()
    const never = deferred()
    const parent = scriptedModel([{ calls: [call('C')] }])
    const running = runTeam(
      {
        P: { models: [parent], children: ['C'] },
        C: { models: [scriptedModel([{ text: 'x', wait: never.promise }])] },
      },
      { signal: controller.signal, listener: record.listener },
    )
    await settle()
    controller.abort()
    expect((await running).outcome).toBe('cancelled')
    expect(record.of('run-end').map((event) => [event.instance, event.outcome])).toEqual([
      ['C[1]', 'cancelled'],
      ['P', 'cancelled'],
    ])
  })

  it('a child gets at most nine tenths of the remaining time, so that the parent can still answer', async () => {
    const clock = fakeClock()
    const never = deferred()
    const record = recordEvents()
    const parent = scriptedModel([{ calls: [call('C')] }, { text: 'without it' }])
    const running = runTeam(
      {
        P: { models: [parent], children: ['C'] },
        C: { models: [scriptedModel([{ text: 'x', wait: never.promise }])] },
      },
      { clock, remainingMs: 1000, listener: record.listener },
    )
    await clock.advance(900)
    expect(await running).toMatchObject({ outcome: 'completed', text: 'without it' })
    expect(record.of('tool-result')).toMatchObject([{ outcome: 'timeout', error: { code: 'child_timeout' } }])
  })

  it(`a child deeper than maxDepth is refused ${verifies('C50')}`, async () => {
    const record = recordEvents()
    const asks = (child: string) => scriptedModel([{ calls: [call(child)] }, { text: 'without it' }])
    await runTeam(
      {
        A: { fields: { limits: { maxDepth: 2 } }, models: [asks('B')], children: ['B'] },
        B: { models: [asks('C')], children: ['C'] },
        C: { models: [asks('D')], children: ['D'] },
        D: { models: [scriptedModel([{ text: 'too deep' }])] },
      },
      { listener: record.listener },
    )
    expect(record.of('run-start').map((event) => event.agent)).toEqual(['A', 'B', 'C'])
    expect(record.of('tool-result').find((event) => event.toolName === 'agent__D')?.error?.code).toBe(
      'depth_exceeded',
    )
  })

  it(`a child whose agent is already among its ancestors is refused with the path ${verifies('C49')}`, async () => {
    const record = recordEvents()
    const a = scriptedModel([{ calls: [call('B')] }, { text: 'a' }])
    const b = scriptedModel([{ calls: [call('A')] }, { text: 'b' }])
    await runTeam(
      { A: { models: [a], children: ['B'] }, B: { models: [b], children: ['A'] } },
      { listener: record.listener },
    )
    const refused = record.of('tool-result').find((event) => event.toolName === 'agent__A')
    expect(refused?.error).toMatchObject({ class: 'depth', code: 'agent_cycle' })
    expect(refused?.error?.message).toContain('A -> B -> A')
  })

  it('a cycle below the deepest level is refused', async () => {
    const record = recordEvents()
    await runTeam(
      {
        A: {
          fields: { limits: { maxDepth: 1 } },
          models: [scriptedModel([{ calls: [call('B')] }, { text: 'a' }])],
          children: ['B'],
        },
        B: { models: [scriptedModel([{ calls: [call('C')] }, { text: 'b' }])], children: ['C'] },
        C: { models: [scriptedModel([])] },
      },
      { listener: record.listener },
    )
    expect(record.of('tool-result').map((event) => event.error?.code)).toContain('depth_exceeded')
    expect(record.of('run-start').map((event) => event.agent)).toEqual(['A', 'B'])
  })

  it('a child beyond the maxRuns of the root run is refused', async () => {
    const record = recordEvents()
    await runTeam(
      {
        P: {
          fields: { limits: { maxRuns: 3 } },
          models: [scriptedModel([{ calls: [call('C'), call('C'), call('C')] }, { text: 'p' }])],
          children: ['C'],
        },
        C: { models: [scriptedModel(() => ({ text: 'c' }))] },
      },
      { listener: record.listener },
    )
    expect(
      record
        .of('tool-result')
        .map((event) => event.error?.code)
        .filter(Boolean),
    ).toEqual(['runs_exceeded'])
    expect(record.of('run-start')).toHaveLength(3)
  })

  it(`the history mode decides whether a child sees the conversation before the call and merges its own ${verifies('B12')}`, async () => {
    const modes = ['scratch', 'fork', 'fork_and_merge'] as const
    const seen = await Promise.all(
      modes.map(async (historyMode) => {
        const child = scriptedModel([{ text: 'child says' }])
        const parent = scriptedModel([{ calls: [call('C', 'task')] }, { text: 'end' }])
        await runTeam(
          { P: { fields: { historyMode }, models: [parent], children: ['C'] }, C: { models: [child] } },
          { input: 'question' },
        )
        return {
          child: child.calls[0]?.prompt.map((message) => message.role),
          parent: parent.calls[1]?.prompt.map((message) => message.role),
        }
      }),
    )
    expect(seen.map((each) => each.child)).toEqual([
      ['system', 'user'],
      ['system', 'user', 'user'],
      ['system', 'user', 'user'],
    ])
    expect(seen.map((each) => each.parent?.at(-1))).toEqual(['tool', 'tool', 'user'])
  })
})
