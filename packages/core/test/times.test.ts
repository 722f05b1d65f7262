import type { Clock, RunEvent } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'
import { advanceUntil, fakeClock, recordEvents, verifies, type FakeClock } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { runTeam, tool, type TestAgent } from './team.ts'

/** Resolves after so many ms of the clock. */
function after(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => clock.after(ms, resolve))
}

/** Runs a team on a clock that advances by itself, and returns its events. */
async function eventsOf(
  clock: FakeClock,
  team: Readonly<Record<string, TestAgent>>,
): Promise<readonly RunEvent[]> {
  const { listener, events } = recordEvents()
  const approve = () => after(clock, 5000).then(() => APPROVED)
  await advanceUntil(clock, runTeam(team, { clock, listener, approve }))
  return events
}

const APPROVED = { decision: 'approved' } as const

/** Returns a model that takes a given time for each answer. */
function slowModel(clock: Clock, steps: readonly (readonly [ms: number, tool?: string, args?: object])[]) {
  return scriptedModel((_prompt, { index }) => {
    const [ms = 0, name, args] = steps[index] ?? []
    const wait = after(clock, ms)
    return name === undefined ? { text: 'Done.', wait } : { calls: [{ tool: name, args }], wait }
  })
}

describe('the times in events', () => {
  it(`the usage event of a model call says how long the provider took, attempts that failed included ${verifies('C54')}`, async () => {
    const clock = fakeClock()
    const busy = Object.assign(new Error('fetch failed'), { code: 'ECONNRESET' })
    const model = scriptedModel((_prompt, { index }) =>
      index === 0 ? { error: busy, wait: after(clock, 70) } : { text: 'Done.', wait: after(clock, 230) },
    )
    const events = await eventsOf(clock, { A: { models: [model] } })
    const calls = events.filter((event) => event.type === 'usage')
    expect(calls.map(({ latencyMs, error }) => [latencyMs, error?.code])).toEqual([
      [70, 'model_unreachable'],
      [230, undefined],
    ])
  })

  it(`the result of a tool call says how long the tool took and how many bytes went in and came out ${verifies('C55')}`, async () => {
    const clock = fakeClock()
    const args = { word: 'fünf' }
    const model = slowModel(clock, [[10, 'count', args], [20]])
    const count = tool('count', async () => {
      await after(clock, 340)
      return 'über'
    })
    const events = await eventsOf(clock, { A: { models: [model], tools: [count] } })
    const results = events.filter((event) => event.type === 'tool-result')
    expect(results).toMatchObject([
      {
        toolName: 'count',
        durationMs: 340,
        bytesIn: Buffer.byteLength(JSON.stringify(args)),
        bytesOut: Buffer.byteLength('über'),
      },
    ])
    expect(results[0]?.bytesIn).toBeGreaterThan(JSON.stringify(args).length)
  })

  it(`the end event of every run says how long that run took ${verifies('A89')}`, async () => {
    const clock = fakeClock()
    const events = await eventsOf(clock, {
      Lead: { models: [slowModel(clock, [[100, 'agent__Clerk'], [50]])], children: ['Clerk'] },
      Clerk: { models: [slowModel(clock, [[300]])] },
    })
    const ends = events.filter((event) => event.type === 'run-end')
    expect(ends.map(({ instance, durationMs, activeMs }) => [instance, durationMs, activeMs])).toEqual([
      ['Clerk[1]', 300, 300],
      ['Lead', 450, 450],
    ])
    const starts = events.filter((event) => event.type === 'run-start')
    for (const { runId, time, durationMs } of ends)
      expect(time - durationMs).toBe(starts.find((start) => start.runId === runId)?.time)
  })

  it('the active time of a run, and of the runs above it, excludes the time it waited for a person', async () => {
    const clock = fakeClock()
    const send = tool('send', () => 'sent')
    const events = await eventsOf(clock, {
      Lead: { models: [slowModel(clock, [[100, 'agent__Clerk'], [50]])], children: ['Clerk'] },
      Clerk: {
        models: [slowModel(clock, [[300, 'send'], [40]])],
        tools: [send],
        fields: { requiresApproval: ['send'] },
      },
    })
    const ends = events.filter((event) => event.type === 'run-end')
    expect(ends.map(({ instance, durationMs, activeMs }) => [instance, durationMs, activeMs])).toEqual([
      ['Clerk[1]', 5340, 340],
      ['Lead', 5490, 490],
    ])
  })
})
