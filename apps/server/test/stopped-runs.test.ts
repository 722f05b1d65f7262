import { defineAgent, defineTool, NO_USAGE, sumUsage, type RunEvent, type RunReport } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'
import { fakeClock, verifies, type FakeClock } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { serveTeam, type ServedTeam } from './support/serve-team.ts'

const NEVER = new Promise<never>(() => undefined)

/** Serves a boss whose two sleepers have each made one model call and one tool call, and hang in their second model call. */
async function serveSleepers(
  clock: FakeClock,
): Promise<ServedTeam & { readonly asleep: () => Promise<void> }> {
  let hanging = 0
  const usage = { input: 1000, output: 1000 }
  const sleeper = scriptedModel((prompt) => {
    if (prompt.every(({ role }) => role !== 'assistant')) return { calls: [{ tool: 'note' }], usage }
    hanging += 1
    return { text: 'Never said.', wait: NEVER }
  })
  const boss = scriptedModel(() => ({
    calls: [
      { tool: 'agent__Sleeper', args: { text: 'one' } },
      { tool: 'agent__Sleeper', args: { text: 'two' } },
      { tool: 'fail' },
    ],
    usage: { input: 18, output: 6 },
  }))
  const tool = (name: string, execute: () => string) =>
    defineTool({ name, description: name, effect: 'read', execute })
  const cards = [
    defineAgent({
      name: 'Boss',
      description: 'Leads.',
      instruction: 'Lead.',
      model: 'test/boss',
      agents: ['Sleeper'],
      functionTools: [
        tool('fail', () => {
          throw new Error('The line is dead.')
        }),
      ],
    }),
    defineAgent({
      name: 'Sleeper',
      description: 'Sleeps.',
      instruction: 'Sleep.',
      model: 'test/sleeper',
      functionTools: [tool('note', () => 'noted')],
    }),
  ]
  const team = await serveTeam({ cards, models: { boss, sleeper }, hostOptions: { clock } })
  return { ...team, asleep: () => expect.poll(() => hanging).toBe(2) }
}

async function ask({ url }: ServedTeam, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}${path}`, {
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  })
  return (await response.json()) as Record<string, unknown>
}

const of = <T extends RunEvent['type']>(events: readonly RunEvent[], type: T) =>
  events.filter((event): event is Extract<RunEvent, { readonly type: T }> => event.type === type)

/** Returns the sum of the usage of all events in the store. */
const sumOf = (events: readonly RunEvent[]) =>
  sumUsage([
    ...of(events, 'usage').map(({ tokens }) => tokens),
    ...of(events, 'tool-result').map(() => ({ ...NO_USAGE, toolCalls: 1 })),
  ])

const FAILED = { agent: 'Boss', instance: 'Boss', tool: 'fail', code: 'tool_failed' }

describe('POST /api/runs/:id/stop', () => {
  it(`stopping an active run ends it with its own report: the usage of its children, its duration and the true reason ${verifies('C70', 'C53', 'A21')}`, async () => {
    const clock = fakeClock(1_000_000)
    const team = await serveSleepers(clock)
    const { runId } = await ask(team, '/api/runs', { agent: 'Boss', q: 'go' })
    await team.asleep()
    await clock.advance(1500)
    const view = await ask(team, `/api/runs/${String(runId)}/stop`, {})
    expect(view).toMatchObject({
      state: 'cancelled',
      durationMs: 1500,
      activeMs: 1500,
      error: { code: 'run_cancelled', message: 'The run was stopped.' },
      usage: {
        modelCalls: 5,
        // each sleeper and its note, and the tool that failed
        toolCalls: 5,
        estimated: true,
        byAgent: { Boss: { inputTokens: 18, modelCalls: 1 }, Sleeper: { modelCalls: 4, toolCalls: 2 } },
      },
      problems: [FAILED],
      problemCount: 1,
    })
    const events = await team.store.events(String(runId))
    expect(of(events, 'run-end').at(-1)).toMatchObject({ runId, usage: sumOf(events) })
    const ends = of(events, 'run-end').map(({ instance, outcome, durationMs, error }) => [
      instance,
      outcome,
      durationMs,
      error?.message,
    ])
    expect(ends).toEqual([
      ['Sleeper[1]', 'cancelled', 1500, 'The run was stopped.'],
      ['Sleeper[2]', 'cancelled', 1500, 'The run was stopped.'],
      ['Boss', 'cancelled', 1500, 'The run was stopped.'],
    ])
    // every call has a result, so that no spinner remains after a reload
    expect(of(events, 'tool-result')).toHaveLength(of(events, 'tool-call').length)
    const [summary] = (await ask(team, '/api/runs'))['runs'] as readonly unknown[]
    expect(summary).toMatchObject({ runId, state: 'cancelled', durationMs: 1500, activeMs: 1500 })
  })

  it(`stopping a run without a process ends it with the usage of its whole tree ${verifies('C70', 'C53')}`, async () => {
    const clock = fakeClock(1_000_000)
    const team = await serveSleepers(clock)
    const stop = new AbortController()
    const running = team.host.run('Boss', 'go', { runId: 'left', resumable: true, signal: stop.signal })
    await team.asleep()
    await clock.advance(1500)
    stop.abort()
    expect(await running).toMatchObject({ outcome: 'cancelled', error: { code: 'run_interrupted' } })
    expect(await ask(team, '/api/runs/left')).toMatchObject({
      state: 'interrupted',
      usage: { modelCalls: 5, toolCalls: 3, byAgent: { Sleeper: { modelCalls: 4 } } },
    })
    await clock.advance(60_000)
    const interrupted = { runId: 'left', state: 'interrupted', durationMs: 1500 }
    expect(await ask(team, '/api/runs/left')).toMatchObject(interrupted)
    expect(await ask(team, '/api/runs')).toMatchObject({ runs: [interrupted] })
    expect(await ask(team, '/api/runs/left/stop', {})).toMatchObject({
      state: 'cancelled',
      durationMs: 61_500,
      activeMs: 1500,
      usage: { modelCalls: 5, toolCalls: 3, byAgent: { Sleeper: { modelCalls: 4 } } },
      problems: [FAILED],
    })
    const events = await team.store.events('left')
    expect(of(events, 'run-end').at(-1)).toMatchObject({ runId: 'left', usage: sumOf(events) })
    for (const { error, durationMs } of of(events, 'run-end')) {
      expect(error?.message).toBe('The run was stopped.')
      expect(durationMs).toBe(61_500)
    }
  })
})

it('the REST envelope and the run view list the problems of a completed run', async () => {
  const model = scriptedModel((prompt) =>
    prompt.some(({ role }) => role === 'tool') ? { text: 'Done.' } : { calls: [{ tool: 'nothing' }] },
  )
  const card = defineAgent({ name: 'One', description: 'o', instruction: 'o', model: 'test/one' })
  const team = await serveTeam({ cards: [card], models: { one: model } })
  const report = (await ask(team, '/v1/One', { q: 'go' })) as unknown as RunReport
  expect(report).toMatchObject({
    outcome: 'completed',
    problems: [{ agent: 'One', instance: 'One', tool: 'nothing', code: 'tool_unknown' }],
    problemCount: 1,
  })
  const { runId } = await ask(team, '/api/runs', { q: 'go' })
  await expect
    .poll(() => ask(team, `/api/runs/${String(runId)}`))
    .toMatchObject({ state: 'completed', problems: [{ runId, tool: 'nothing' }], problemCount: 1 })
})
