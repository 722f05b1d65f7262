import { NO_USAGE, sumUsage, type RunEvent, type RunReport, type Usage } from '@troupe/schema'
import type { LogEntry, RunStore } from '@troupe/schema/ports'
import { createMemoryStore } from '@troupe/store'
import { advanceUntil, fakeClock, verifies, type FakeClock } from '@troupe/testkit/internal'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { storeAfter } from './support/interrupted-team.ts'
import { TEAM_MS, timedTeam } from './support/timed-team.ts'

const START = 1_000_000
/** No process works on the run for so long, in ms. */
const GAP = 60_000

const memory = (clock: FakeClock) => createMemoryStore({ clock })

/** The entries of a run that nothing disturbed. */
async function entriesOf(): Promise<readonly LogEntry[]> {
  const clock = fakeClock(START)
  const entries: LogEntry[] = []
  const store = memory(clock)
  const recording: RunStore = {
    ...store,
    async open(...args) {
      const log = await store.open(...args)
      const append = log.append.bind(log)
      return Object.assign(log, {
        append(entry: LogEntry) {
          entries.push(structuredClone(entry))
          append(entry)
        },
      })
    },
  }
  const host = await timedTeam(clock, recording)
  await advanceUntil(clock, host.run('Boss', 'Go.', { runId: 'root' }))
  return entries
}

type EndEvent = Extract<RunEvent, { readonly type: 'run-end' }>

/** The ends of a root's runs, after checking that its books are right. */
async function endsOf(store: RunStore, report: RunReport): Promise<ReadonlyMap<string, EndEvent>> {
  const events = await store.events(report.runId)
  const ends = new Map(events.flatMap((event) => (event.type === 'run-end' ? [[event.runId, event]] : [])))
  const starts = events.filter((event) => event.type === 'run-start')
  expect([...ends.keys()].toSorted()).toEqual(starts.map(({ runId }) => runId).toSorted())
  for (const { runId, time } of starts) {
    const end = ends.get(runId)
    expect({ runId, usage: end?.usage }).toEqual({ runId, usage: usageBelow(events, runId) })
    expect(sumUsage(Object.values(end?.byAgent ?? {}))).toEqual(end?.usage)
    // every run is timed from its own first start to its end
    expect({ runId, durationMs: end?.durationMs }).toEqual({ runId, durationMs: (end?.time ?? 0) - time })
    expect(end?.activeMs).toBeLessThanOrEqual(end?.durationMs ?? 0)
  }
  const root = ends.get(report.runId)
  expect(toTokens(report)).toEqual(toTokens({ usage: root?.usage as Usage }))
  expect([report.durationMs, report.activeMs]).toEqual([root?.durationMs, root?.activeMs])
  expect([report.problems, report.problemCount]).toEqual([root?.problems, root?.problemCount])
  expect(report.durationMs).toBeGreaterThanOrEqual(
    Math.max(...[...ends.values()].map((end) => end.durationMs)),
  )
  return ends
}

/** Sums the usage in the events of a run and of the runs below it. */
function usageBelow(events: readonly RunEvent[], above: string): Usage {
  const isBelow = (runId: string | undefined): boolean =>
    runId === above ||
    events.some(
      (event) => event.runId === runId && event.parentRunId !== undefined && isBelow(event.parentRunId),
    )
  return sumUsage(
    events.flatMap((event) => {
      if (!isBelow(event.runId)) return []
      if (event.type === 'usage') return event.tokens
      return event.type === 'tool-result' ? { ...NO_USAGE, toolCalls: 1 } : []
    }),
  )
}

function toTokens({ usage }: { readonly usage: Usage | RunReport['usage'] }): readonly number[] {
  return 'input' in usage
    ? [usage.input, usage.output, usage.modelCalls, usage.toolCalls]
    : [usage.inputTokens, usage.outputTokens, usage.modelCalls, usage.toolCalls]
}

/** The problem of the tool that always fails. */
const FAILED = {
  runId: 'root',
  agent: 'Boss',
  instance: 'Boss',
  tool: 'fail',
  code: 'tool_failed',
  message: 'The line is dead.',
}

describe('the usage of a root run is the sum of the usage events of its run tree', () => {
  it(`usage of a run adds up if nothing disturbs it ${verifies('C53', 'A21', 'A89')}`, async () => {
    const clock = fakeClock(START)
    const store = memory(clock)
    const host = await timedTeam(clock, store)
    const report = await advanceUntil(clock, host.run('Boss', 'Go.', { runId: 'root' }))
    const ends = await endsOf(store, report)
    expect(report).toMatchObject({
      durationMs: TEAM_MS,
      activeMs: TEAM_MS,
      problems: [FAILED],
      problemCount: 1,
    })
    expect([...ends.values()].map(({ instance, durationMs }) => [instance, durationMs])).toEqual([
      ['Clerk[1]', 300],
      ['Clerk[2]', 300],
      ['Boss', TEAM_MS],
    ])
  })

  it(`usage of a run adds up if its process was killed at any moment and the run was resumed ${verifies('C53', 'A21')}`, async () => {
    const entries = await entriesOf()
    for (let kept = 1; kept < entries.length; kept += 1) {
      const { clock, store } = await killedAfter(entries.slice(0, kept))
      const host = await timedTeam(clock, store)
      const report = await advanceUntil(clock, host.resume('root'))
      const ends = await endsOf(store, report)
      expect({ kept, problems: report.problems }).toEqual({ kept, problems: [FAILED] })
      expect({ kept, idle: report.durationMs - report.activeMs }).toEqual({ kept, idle: GAP })
      for (const end of ends.values()) expect([0, GAP]).toContain(end.durationMs - (end.activeMs ?? 0))
    }
  })

  it(`usage of a run adds up if its process was killed at any moment and the run was then stopped ${verifies('C53', 'C70')}`, async () => {
    const entries = await entriesOf()
    for (let kept = 1; kept < entries.length; kept += 1) {
      const past = entries.slice(0, kept)
      const { clock, store } = await killedAfter(past)
      const host = await timedTeam(clock, store)
      const signal = AbortSignal.abort()
      const report = await advanceUntil(clock, host.resume('root', { signal }))
      const ends = await endsOf(store, report)
      expect(report.outcome).toBe('cancelled')
      const spent = past.flatMap(({ event }) => (event?.type === 'usage' ? event.tokens : []))
      expect({ kept, calls: report.usage.modelCalls }).toEqual({ kept, calls: spent.length })
      expect({ kept, idle: report.durationMs - report.activeMs }).toEqual({ kept, idle: GAP })
      const stopped = [...ends.values()].filter(({ outcome }) => outcome === 'cancelled')
      for (const { error } of stopped)
        expect(error).toMatchObject({ code: 'run_cancelled', message: 'The run was stopped.' })
    }
  })

  it(`usage of a run adds up if it is stopped at any moment: calls in flight are counted as estimates ${verifies('C53', 'C70')}`, async () => {
    for (let at = 10; at < TEAM_MS; at += 20) {
      const clock = fakeClock(START)
      const store = memory(clock)
      const host = await timedTeam(clock, store)
      const stop = new AbortController()
      clock.after(at, () => stop.abort())
      const report = await advanceUntil(
        clock,
        host.run('Boss', 'Go.', { runId: 'root', signal: stop.signal }),
      )
      await endsOf(store, report)
      expect(report).toMatchObject({ outcome: 'cancelled', durationMs: at, activeMs: at })
      const calls = (await store.events('root')).filter((event) => event.type === 'usage')
      const cut = calls.filter(({ error }) => error?.class === 'cancelled')
      expect({ at, estimated: report.usage.estimated }).toEqual({ at, estimated: cut.length > 0 })
      for (const { tokens } of cut) expect(tokens).toMatchObject({ modelCalls: 1, estimated: 1 })
    }
  })

  it(`usage of a run adds up if it is interrupted at any moments and resumed: interrupted calls are paid for ${verifies('C53')}`, async () => {
    const moments = fc.array(fc.integer({ min: 1, max: TEAM_MS / 10 }), { minLength: 1, maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(moments, async (tens) => {
        const clock = fakeClock(START)
        const store = memory(clock)
        const host = await timedTeam(clock, store)
        let cut = 0
        let idle = 0
        const interrupt = (ms: number) => {
          const stop = new AbortController()
          clock.after(ms, () => stop.abort())
          return { resumable: true, signal: stop.signal }
        }
        const [first = 1, ...later] = tens
        let report = await advanceUntil(
          clock,
          host.run('Boss', 'Go.', { runId: 'root', ...interrupt(first * 10) }),
        )
        for (const ten of later) {
          if (report.error?.code !== 'run_interrupted') break
          await clock.advance(GAP)
          report = await advanceUntil(clock, host.resume('root', interrupt(ten * 10)))
        }
        if (report.error?.code === 'run_interrupted') {
          await clock.advance(GAP)
          report = await advanceUntil(clock, host.resume('root'))
        }
        await endsOf(store, report)
        const events = await store.events('root')
        for (const [index, event] of events.entries()) {
          if (event.type === 'usage' && event.error?.class === 'cancelled') cut += 1
          idle += Math.floor((event.time - (events[index - 1]?.time ?? event.time)) / GAP) > 0 ? 1 : 0
        }
        expect(report.outcome).toBe('completed')
        expect(report.usage.modelCalls).toBe(6 + cut)
        expect(report.durationMs - report.activeMs).toBeGreaterThanOrEqual(idle * GAP)
      }),
      { numRuns: 60 },
    )
  })

  it(`usage of a run adds up if it waited for a decision, in this process or the next ${verifies('C53')}`, async () => {
    const clock = fakeClock(START)
    const store = memory(clock)
    const fields = { requiresApproval: ['send'] }
    const host = await timedTeam(clock, store, { fields })
    const waiting = await advanceUntil(clock, host.run('Boss', 'Go.', { runId: 'root', wait: true }))
    expect(waiting).toMatchObject({ error: { code: 'run_waiting' }, usage: { modelCalls: 5, toolCalls: 5 } })
    expect(waiting).toMatchObject({ activeMs: 100, problems: [FAILED] })
    await clock.advance(GAP)
    await host.decide('root', 'root:1.3#1', { decision: 'approved' })
    await clock.advance(GAP)
    const report = await advanceUntil(clock, host.resume('root', { wait: true }))
    const ends = await endsOf(store, report)
    // 100 ms until the approval, and then the tool and the last turn; the clerks worked while the run waited
    expect(report).toMatchObject({ outcome: 'completed', activeMs: 100 + 30 + 50, problems: [FAILED] })
    expect(report.durationMs).toBeGreaterThan(2 * GAP)
    expect(ends.size).toBe(3)
  })

  it(`usage of a fork adds up from any step: copied events have no duration ${verifies('C53')}`, async () => {
    const entries = await entriesOf()
    for (const at of ['1', '2', '1.1/1', '1.1/2', '1.2/2']) {
      const { clock, store } = await killedAfter(entries)
      const host = await timedTeam(clock, store)
      const startedAt = clock.now()
      const { report } = await advanceUntil(clock, host.fork('root', { at, runId: 'new' }))
      const ends = await endsOf(store, report)
      const events = await store.events('new')
      expect({ at, startedAt: events[0]?.time }).toEqual({ at, startedAt })
      expect({ at, durationMs: report.durationMs }).toEqual({ at, durationMs: clock.now() - startedAt })
      expect(report.activeMs).toBe(report.durationMs)
      expect(ends.size).toBe(3)
      expect(report.problems).toMatchObject([{ runId: 'new', tool: 'fail' }])
    }
  })
})

/** A store as a killed process left it, and the clock of the next process. */
async function killedAfter(
  past: readonly LogEntry[],
): Promise<{ readonly clock: FakeClock; readonly store: RunStore }> {
  const last = Math.max(...past.map(({ event }) => event?.time ?? 0))
  return { clock: fakeClock(last + GAP), store: await storeAfter('root', structuredClone(past)) }
}
