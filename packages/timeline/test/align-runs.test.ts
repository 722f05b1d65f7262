import { addUsage, NO_USAGE, type JsonObject, type Outcome } from '@troupe/schema'
import { sampleEvent } from '@troupe/testkit/internal'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { alignRuns, emptyTimeline, reduceTimeline, type AlignedRuns, type Timeline } from '../src/index.ts'
import { numbered, twoCities } from './two-cities.ts'

/** A call of a sample run. `calls` are the calls of the run that it opens. */
interface SampleCall {
  readonly tool: string
  readonly args: JsonObject
  readonly turn: number
  readonly result?: string
  readonly outcome?: Outcome
  readonly calls?: readonly SampleCall[] | undefined
}

function timelineOf(calls: readonly SampleCall[], answer = 'done'): Timeline {
  const events = runEvents(calls, { runId: 'root', agent: 'Lead', instance: 'Lead', depth: 0 }, answer)
  return numbered(events).reduce(reduceTimeline, emptyTimeline())
}

function runEvents(
  calls: readonly SampleCall[],
  run: { readonly runId: string; readonly depth: number } & Record<string, unknown>,
  answer: string,
): ReturnType<typeof sampleEvent>[] {
  return [
    sampleEvent('run-start', { ...run, input: 'Go.' }),
    sampleEvent('usage', { ...run, tokens: { ...NO_USAGE, input: 10, output: 5, modelCalls: 1 } }),
    ...calls.flatMap(({ tool, args, turn, result = 'ok', outcome = 'completed', calls: below }, index) => {
      const { callId: _, ...own } = run
      const call = {
        ...own,
        callId: `${turn}.${index}`,
        toolName: tool,
        source: 'function' as const,
        turn,
        args,
      }
      const child = { ...run, runId: `${run.runId}-${index}`, parentRunId: run.runId, depth: run.depth + 1 }
      return [
        sampleEvent('tool-call', call),
        ...(below === undefined ? [] : runEvents(below, { ...child, callId: call.callId }, result)),
        sampleEvent('tool-result', { ...call, outcome, content: [{ type: 'text', text: result }] }),
      ]
    }),
    sampleEvent('run-end', { ...run, durationMs: 100, output: { format: 'text', text: answer } }),
  ]
}

/** Returns the rows as text: depth, state, what differs, and the call. */
function describe({ rows }: AlignedRuns): readonly string[] {
  return rows.map(({ depth, state, left, right, differences }) => {
    const call = left?.call ?? right?.call
    const name =
      call === undefined ? 'run' : `${call.toolName} ${Object.values(call.args).map(String).join(' ')}`.trim()
    return `${'  '.repeat(depth)}${name}: ${[state, ...differences].join(' ')}`
  })
}

it('a run aligned with itself has only equal rows, with the usage of each subtree', () => {
  const timeline = twoCities().reduce(reduceTimeline, emptyTimeline())
  const { rows, counts } = alignRuns(timeline, timeline)
  expect(counts).toEqual({ equal: 3, changed: 0, left: 0, right: 0 })
  const [root] = rows
  expect(root?.left?.usage).toEqual(timeline.runs.map(({ usage }) => usage).reduce(addUsage))
  expect(rows[1]?.left?.run?.instance).toBe('New-York[1]')
})

it('an inserted turn is a row of one side, and the turns after it stay aligned', () => {
  const left = timelineOf([call('search', 'a', 1), call('search', 'b', 2), call('search', 'c', 3)])
  const right = timelineOf([
    call('search', 'a', 1),
    call('read', 'x', 2),
    call('search', 'b', 3),
    call('search', 'c', 4),
  ])
  expect(describe(alignRuns(left, right))).toEqual([
    'run: equal',
    '  search a: equal',
    '  read x: right',
    '  search b: equal',
    '  search c: equal',
  ])
})

it('calls of one turn are paired by their arguments, in whatever order they were made', () => {
  const left = timelineOf([call('ask', 'the price of tea', 1), call('ask', 'the height of a hill', 1)])
  const right = timelineOf([call('ask', 'the height of a mountain', 1), call('ask', 'the price of tea', 1)])
  expect(describe(alignRuns(left, right))).toEqual([
    'run: equal',
    '  ask the price of tea: equal',
    '  ask the height of a hill: changed arguments',
  ])
})

it('arguments that changed are paired with the most similar ones', () => {
  const left = timelineOf([call('ask', 'weather in London', 1), call('ask', 'weather in Rome', 1)])
  const right = timelineOf([call('ask', 'weather in Rome now', 1), call('ask', 'weather in London now', 1)])
  const pairs = alignRuns(left, right).rows.map(({ left, right }) => [left?.call?.args, right?.call?.args])
  expect(pairs.slice(1)).toEqual([
    [{ text: 'weather in London' }, { text: 'weather in London now' }],
    [{ text: 'weather in Rome' }, { text: 'weather in Rome now' }],
  ])
})

it('a changed answer of a child run is found below the call that opened it', () => {
  const child = (result: string): SampleCall => ({
    ...call('agent__Scout', 'go', 1),
    result,
    calls: [{ ...call('look', 'up', 1), result }],
  })
  expect(
    describe(alignRuns(timelineOf([child('blue')], 'blue'), timelineOf([child('grey')], 'grey'))),
  ).toEqual(['run: changed answer', '  agent__Scout go: changed result', '    look up: changed result'])
})

it('a run without a counterpart is shown on its side only', () => {
  const timeline = timelineOf([call('search', 'a', 1)])
  expect(alignRuns(timeline, emptyTimeline()).counts).toEqual({ equal: 0, changed: 0, left: 2, right: 0 })
  expect(alignRuns(emptyTimeline(), emptyTimeline()).rows).toEqual([])
})

it('runs beyond the bound of work are aligned by the position of their turns', () => {
  const many = (prefix: string): Timeline =>
    timelineOf(Array.from({ length: 2500 }, (_, index) => call('look', `${prefix} ${index}`, index + 1)))
  expect(alignRuns(many('a'), many('b')).counts).toEqual({ equal: 1, changed: 2500, left: 0, right: 0 })
})

const tree = fc.letrec<{ readonly calls: readonly SampleCall[] }>((tie) => ({
  calls: fc.array(
    fc.record(
      {
        tool: fc.constantFrom('look', 'ask', 'agent__Scout'),
        args: fc.record({ text: fc.constantFrom('a', 'b', 'ab', 'abc') }),
        turn: fc.integer({ min: 1, max: 4 }),
        result: fc.constantFrom('x', 'y'),
        calls: fc.oneof({ maxDepth: 2 }, fc.constant(undefined), tie('calls')),
      },
      { requiredKeys: ['tool', 'args', 'turn'] },
    ),
    { maxLength: 6 },
  ),
})).calls

it('a run tree aligned with itself has only equal rows, each with the same call on both sides', () => {
  fc.assert(
    fc.property(tree, (calls) => {
      const timeline = timelineOf(calls)
      for (const { state, left, right } of alignRuns(timeline, timeline).rows) {
        expect(state).toBe('equal')
        expect(left?.call).toBe(right?.call)
      }
    }),
  )
})

it('every call and every run of both trees has exactly one row', () => {
  fc.assert(
    fc.property(tree, tree, (one, other) => {
      const [left, right] = [timelineOf(one), timelineOf(other)]
      const { rows } = alignRuns(left, right)
      for (const [side, timeline] of [
        ['left', left],
        ['right', right],
      ] as const) {
        const calls = rows.flatMap((row) => row[side]?.call ?? [])
        const runs = rows.flatMap((row) => row[side]?.run ?? [])
        expect(calls).toHaveLength(new Set(calls).size)
        expect(new Set(calls)).toEqual(new Set(timeline.runs.flatMap((run) => run.calls)))
        expect(runs.map(({ runId }) => runId).toSorted()).toEqual(
          timeline.runs.map(({ runId }) => runId).toSorted(),
        )
      }
    }),
  )
})

it('swapping the two runs swaps the counts of rows', () => {
  fc.assert(
    fc.property(tree, tree, (one, other) => {
      const [left, right] = [timelineOf(one), timelineOf(other)]
      const { counts } = alignRuns(left, right)
      expect(alignRuns(right, left).counts).toEqual({ ...counts, left: counts.right, right: counts.left })
    }),
  )
})

it('a row is below the row of the run that made the call', () => {
  fc.assert(
    fc.property(tree, tree, (one, other) => {
      const { rows } = alignRuns(timelineOf(one), timelineOf(other))
      for (const [index, { parent, depth, left }] of rows.entries()) {
        if (index === 0) continue
        expect(parent).toBeLessThan(index)
        expect(rows[parent]?.depth).toBe(depth - 1)
        const above = rows[parent]?.left?.run?.runId
        expect(left?.run?.parentRunId ?? above).toBe(above)
      }
    }),
  )
})

function call(tool: string, text: string, turn: number): SampleCall {
  return { tool, args: { text }, turn }
}
