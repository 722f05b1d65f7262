import {
  addUsage,
  sumUsage,
  type EventDraft,
  type EventType,
  type RunEvent,
  type Usage,
} from '@troupe/schema'
import { sampleEvent, verifies } from '@troupe/testkit/internal'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  accountsOf,
  emptyAccounts,
  emptyTimeline,
  eventLine,
  reduceAccounts,
  reduceTimeline,
  reduceTimelineEvents,
  toRows,
} from '../src/index.ts'
import { numbered } from './two-cities.ts'

const RUNS = [
  { runId: 'root', agent: 'Boss', instance: 'Boss', depth: 0 },
  { runId: 'a', agent: 'Child', instance: 'Child[1]', depth: 1, parentRunId: 'root', callId: '1.1' },
  { runId: 'b', agent: 'Child', instance: 'Child[2]', depth: 1, parentRunId: 'root', callId: '1.2' },
  { runId: 'c', agent: '__proto__', instance: '__proto__[1]', depth: 2, parentRunId: 'b', callId: '1.1' },
]
const TYPES: readonly EventType[] = [
  'run-start',
  'turn-start',
  'text-start',
  'text-delta',
  'text-end',
  'tool-call',
  'tool-queued',
  'tool-start',
  'tool-progress',
  'tool-result',
  'approval-request',
  'approval-result',
  'usage',
  'warning',
  'log',
  'run-end',
]

const tokens: fc.Arbitrary<Usage> = fc
  .tuple(fc.nat(100_000), fc.nat(100_000), fc.nat(1_000_000))
  .map(([input, output, micros]) => ({
    ...sumUsage([]),
    input,
    output,
    micros,
    modelCalls: 1,
  }))
const event: fc.Arbitrary<EventDraft> = fc
  .record({
    run: fc.constantFrom(...RUNS),
    type: fc.constantFrom(...TYPES),
    call: fc.constantFrom('1.1', '1.2', '2.1'),
    tokens,
  })
  .map(({ run, type, call, tokens }) => {
    const isEdge = type === 'run-start' || type === 'run-end'
    return sampleEvent(type, {
      ...run,
      ...(isEdge ? {} : { callId: call }),
      ...(type === 'usage' ? { tokens } : {}),
    })
  })
const events: fc.Arbitrary<readonly RunEvent[]> = fc.array(event, { maxLength: 80 }).map(numbered)

it('reducing a part and then the rest equals reducing everything, even if the two overlap', () => {
  fc.assert(
    fc.property(events, fc.nat(80), fc.nat(80), (all, one, two) => {
      const [from, to] = [Math.min(one, two), Math.max(one, two)]
      const rest = [...all.slice(from, to).filter((event) => event.seq !== undefined), ...all.slice(to)]
      expect(rest.reduce(reduceTimeline, all.slice(0, to).reduce(reduceTimeline, emptyTimeline()))).toEqual(
        all.reduce(reduceTimeline, emptyTimeline()),
      )
      expect(rest.reduce(reduceAccounts, accountsOf(all.slice(0, to)))).toEqual(accountsOf(all))
    }),
  )
})

it('reducing events together equals reducing them one by one, and changes no earlier timeline', () => {
  fc.assert(
    fc.property(events, fc.nat(80), (all, at) => {
      const first = all.slice(0, at).reduce(reduceTimeline, emptyTimeline())
      const before = structuredClone(first)
      expect(reduceTimelineEvents(first, all.slice(at))).toEqual(all.reduce(reduceTimeline, emptyTimeline()))
      expect(first).toEqual(before)
      expect(reduceTimelineEvents(first, [])).toBe(first)
    }),
  )
})

it(`the rows of accounts sum to the totals ${verifies('A12')}`, () => {
  fc.assert(
    fc.property(events, (all) => {
      const { total, byAgent, byInstance } = accountsOf(all)
      const spent = all.reduce(
        (sum, event) => (event.type === 'usage' ? addUsage(sum, event.tokens) : sum),
        sumUsage([]),
      )
      const calls = all.filter((event) => event.type === 'tool-result').length
      expect(total).toEqual({ ...spent, toolCalls: calls })
      expect(sumUsage(byAgent.map((row) => row.usage))).toEqual(total)
      expect(sumUsage(byInstance.map((row) => row.usage))).toEqual(total)
    }),
  )
})

it('a reducer never changes its arguments', () => {
  fc.assert(
    fc.property(events, (all) => {
      let timeline = emptyTimeline()
      let accounts = emptyAccounts()
      for (const event of all) {
        const before = structuredClone([timeline, accounts])
        const next = reduceTimeline(timeline, event)
        const nextAccounts = reduceAccounts(accounts, event)
        expect([timeline, accounts]).toEqual(before)
        timeline = next
        accounts = nextAccounts
      }
    }),
    { numRuns: 20 },
  )
})

it('every run has one row, and every line is a single line', () => {
  fc.assert(
    fc.property(events, (all) => {
      const timeline = all.reduce(reduceTimeline, emptyTimeline())
      const shown = toRows(timeline).flatMap((row) => (row.kind === 'run' ? [row.run.runId] : []))
      expect(shown.toSorted()).toEqual(timeline.runs.map((run) => run.runId).toSorted())
      expect(all.map((event) => eventLine(event) ?? '').join('')).not.toContain('\n')
    }),
  )
})
