import { failure } from '@troupe/schema'
import { MAX_PROBLEM_MESSAGE, MAX_PROBLEMS, type RunResult } from '@troupe/schema/ports'
import { scriptedModel, type ScriptedStep } from '@troupe/testkit'
import { fakeClock, recordEvents } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { runTeam, tool, type TestAgent } from './team.ts'

const done: ScriptedStep = { text: 'Done.' }
const call = (name: string, args: object = {}): ScriptedStep => ({ calls: [{ tool: name, args }] })

function fails(name: string, message: string) {
  return tool(name, () => Promise.reject(new Error(message)))
}

function lead(steps: readonly ScriptedStep[], more: Partial<TestAgent> = {}): TestAgent {
  return { models: [scriptedModel(steps)], ...more }
}

const shortly = ({ problems }: RunResult) =>
  problems.map(({ instance, tool: name, code }) => [instance, name, code])

describe('the problems of a run', () => {
  it('the problems of a run are empty if every call succeeded', async () => {
    const result = await runTeam({
      Lead: lead([call('look'), done], { tools: [tool('look', () => 'seen')] }),
    })
    expect(result).toMatchObject({ outcome: 'completed', problems: [], problemCount: 0 })
  })

  it('the problems of a run name the run, tool, code and message of a failed call, even if the model recovered from it', async () => {
    const result = await runTeam({
      Lead: lead([call('send', { bad: 1 }), call('send'), call('nothing'), done], {
        tools: [fails('send', 'The line is dead.')],
      }),
    })
    expect(result.outcome).toBe('completed')
    expect(result.problems).toEqual([
      {
        runId: 'root',
        agent: 'Lead',
        instance: 'Lead',
        tool: 'send',
        code: 'tool_bad_arguments',
        message: 'The arguments of send do not match its schema: /bad is not allowed',
      },
      {
        runId: 'root',
        agent: 'Lead',
        instance: 'Lead',
        tool: 'send',
        code: 'tool_failed',
        message: 'The line is dead.',
      },
      {
        runId: 'root',
        agent: 'Lead',
        instance: 'Lead',
        tool: 'nothing',
        code: 'tool_unknown',
        message: 'Unknown tool: nothing',
      },
    ])
  })

  it('the problems of a run include calls that were denied or timed out', async () => {
    const clock = fakeClock()
    const running = runTeam(
      {
        Lead: lead([{ calls: [{ tool: 'drop' }, { tool: 'ask' }, { tool: 'hang' }] }, done], {
          tools: [
            tool('drop', () => 'dropped'),
            tool('ask', () => 'asked'),
            tool('hang', () => new Promise(() => undefined)),
          ],
          fields: {
            permissions: { deny: ['drop'] },
            requiresApproval: ['ask'],
            limits: { toolTimeout: 100 },
          },
        }),
      },
      { clock },
    )
    await clock.advance(200)
    expect(shortly(await running)).toEqual([
      ['Lead', 'drop', 'permission_denied'],
      ['Lead', 'ask', 'approval_denied'],
      ['Lead', 'hang', 'tool_timeout'],
    ])
  })

  it('the problems of a run list a failed child once, after the problems below it', async () => {
    const { listener, events } = recordEvents()
    const team = {
      Lead: lead([call('agent__Clerk'), done], { children: ['Clerk'] }),
      Clerk: lead([call('send'), { error: new Error('no') }], {
        tools: [fails('send', 'dead')],
        fields: { limits: { maxRetries: 0 } },
      }),
    }
    const result = await runTeam(team, { listener })
    expect(shortly(result)).toEqual([
      ['Clerk[1]', 'send', 'tool_failed'],
      ['Clerk[1]', undefined, 'model_bad_stream'],
    ])
    const ends = events.filter((event) => event.type === 'run-end')
    expect(ends.map(({ instance, problemCount }) => [instance, problemCount])).toEqual([
      ['Clerk[1]', 1],
      ['Lead', 2],
    ])
    expect(ends[1]?.problems).toEqual(result.problems)
    expect(result.problems[1]?.runId).toBe(ends[0]?.runId)
  })

  it('the problems of a run include a child with a partial answer, and a refused child as a call of its caller', async () => {
    const cut = { text: 'Half', finish: 'length' } as const
    const result = await runTeam({
      Lead: lead([call('agent__Clerk'), done], { children: ['Clerk'], fields: { limits: { maxDepth: 1 } } }),
      Clerk: lead([call('agent__Deep'), cut], { children: ['Deep'] }),
      Deep: lead([]),
    })
    expect(result.outcome).toBe('completed')
    expect(shortly(result)).toEqual([
      ['Clerk[1]', 'agent__Deep', 'depth_exceeded'],
      ['Clerk[1]', undefined, 'model_output_cut'],
    ])
  })

  it('the problems of a run include a child that was abandoned because it did not end in time', async () => {
    const clock = fakeClock()
    const running = runTeam(
      {
        Lead: lead([call('agent__Clerk'), done], {
          children: ['Clerk'],
          fields: { limits: { childTimeout: 100 } },
        }),
        Clerk: lead([]),
      },
      { clock, start: () => new Promise(() => undefined) },
    )
    await clock.advance(10_000)
    expect(shortly(await running)).toEqual([['Clerk[1]', undefined, 'child_timeout']])
  })

  it('the problems of a run exclude calls that ended because the run itself was cancelled', async () => {
    const stop = new AbortController()
    const hang = tool('hang', () => {
      stop.abort(failure('run_cancelled', 'enough'))
      return new Promise(() => undefined)
    })
    const result = await runTeam({ Lead: lead([call('hang')], { tools: [hang] }) }, { signal: stop.signal })
    expect(result).toMatchObject({ outcome: 'cancelled', problems: [], problemCount: 0 })
  })

  it('the problems of a run are bounded in number and size, and their total number is reported', async () => {
    const many = MAX_PROBLEMS + 20
    const calls = Array.from({ length: many }, () => ({ tool: 'send' }))
    const result = await runTeam({
      Lead: lead([{ calls }, done], {
        tools: [fails('send', 'x'.repeat(10_000))],
        fields: { limits: { maxToolCallsPerTurn: many } },
      }),
    })
    expect(result.problems).toHaveLength(MAX_PROBLEMS)
    expect(result.problemCount).toBe(many)
    expect(result.problems[0]?.message).toHaveLength(MAX_PROBLEM_MESSAGE)
  })
})
