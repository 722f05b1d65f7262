import { failure, type EventDraft, type RunEvent } from '@troupe/schema'
import { sampleEvent } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { EMPTY_RUN_VIEW_STATE, reduceRunViewState } from '../src/reducers/run-view-state.ts'
import { runPath } from '../src/reducers/run-path.ts'
import { firstLine, inputLine } from '../src/waterfall/input-line.ts'
import { searchRows } from '../src/waterfall/search.ts'
import { summarizeGroup } from '../src/waterfall/sibling-groups.ts'
import type { TimelineNode } from '../src/waterfall/timeline-node.ts'
import { timelineTree } from '../src/waterfall/timeline-tree.ts'
import { activePeriods, extentOfTree, pathOfTree } from '../src/waterfall/tree-periods.ts'
import { failedKeys, nextKey, reveal, visibleRows, withAncestors } from '../src/waterfall/visible-rows.ts'
import { harbourRun } from './harbour-run.ts'

const ROOT = { runId: 'root', agent: 'Lead', instance: 'Lead', depth: 0 }

function numbered(drafts: readonly EventDraft[]): readonly RunEvent[] {
  return drafts.map((draft, index): RunEvent => ({ ...draft, seq: index + 1 }))
}

/** A call that a run of `fanOut` makes, as `[turn, tool, outcome]`. */
type Step = readonly [turn: number, toolName: string, outcome?: 'completed' | 'failed']

/** Returns the events of a run with one tool call per step, each of 100 ms. */
function fanOut(steps: readonly Step[], isOver = true): readonly RunEvent[] {
  const calls = steps.flatMap(([turn, toolName, outcome], index) => {
    const call = { ...ROOT, callId: `1.${index + 1}`, toolName, turn }
    const time = 1000 + 100 * index
    return [
      sampleEvent('tool-call', { ...call, time, args: { what: `crate ${index + 1}` } }),
      sampleEvent('tool-start', { ...call, time }),
      ...(outcome === undefined
        ? []
        : [
            sampleEvent('tool-result', {
              ...call,
              time: time + 100,
              outcome,
              durationMs: 100,
              ...(outcome === 'failed' ? { error: failure('tool_failed', 'The crate is empty.') } : {}),
            }),
          ]),
    ]
  })
  return numbered([
    sampleEvent('run-start', { ...ROOT, time: 1000, input: 'Look.' }),
    ...calls,
    ...(isOver ? [sampleEvent('run-end', { ...ROOT, time: 9000, durationMs: 8000 })] : []),
  ])
}

const treeOf = (events: readonly RunEvent[]) => timelineTree(reduceRunViewState(EMPTY_RUN_VIEW_STATE, events))

const rowsOf = (events: readonly RunEvent[], toggled: readonly string[] = []) =>
  visibleRows(treeOf(events), { toggled: new Set(toggled) })

const nameOf = (node: TimelineNode): string =>
  node.kind === 'group'
    ? `${node.name} ×${node.children.length}`
    : node.kind === 'run'
      ? node.run.instance
      : node.name

const steps = (count: number, toolName: string, turn = 1): readonly Step[] =>
  Array.from({ length: count }, (): Step => [turn, toolName, 'completed'])

describe('timeline tree', () => {
  it('each run is below its caller and each call below its run, with its position for screen readers', () => {
    const rows = rowsOf(harbourRun())
    expect(
      rows.map(({ level, node, setSize, position }) => [level, nameOf(node), setSize, position]),
    ).toEqual([
      [1, 'Newsroom', 1, 1],
      [2, 'Reporter[1]', 1, 1],
      [3, 'publish', 1, 1],
    ])
    expect(rows.map(({ node }) => [node.from, node.to])).toEqual([
      [1000, 2000],
      [1110, 1700],
      [1200, 1600],
    ])
  })

  it('a closed run hides the rows below it', () => {
    const rows = rowsOf(harbourRun(), ['root'])
    expect(rows).toHaveLength(1)
    expect(rows[0]).toMatchObject({ isOpen: false })
  })

  it('rows that continue have no end', () => {
    const live = treeOf(harbourRun().slice(0, 12))
    expect([...live.nodes.values()].map(({ node }) => node.to)).toEqual([undefined, undefined])
    expect(extentOfTree(live)).toEqual({ from: 1000, to: 1110, isOpen: true })
  })

  it('the time until a decision is shown as waiting', () => {
    const call = treeOf(harbourRun()).nodes.get('child 1.1')?.node
    expect(call?.segments).toMatchObject([
      { kind: 'wait', from: 1200, to: 1500 },
      { kind: 'tool', from: 1500, to: 1600 },
    ])
  })

  it('waiting for a person is not activity, so that it can be folded', () => {
    expect(activePeriods(treeOf(harbourRun()), 2000)).toEqual([
      { from: 1000, to: 1100 },
      { from: 1700, to: 1900 },
      { from: 1110, to: 1200 },
      { from: 1500, to: 1600 },
    ])
  })

  it('a call that has not changed is the same node after more events, so that its row is not drawn again', () => {
    const events = fanOut(steps(4, 'look_up'), false)
    const before = reduceRunViewState(EMPTY_RUN_VIEW_STATE, events)
    const more = sampleEvent('tool-call', { ...ROOT, time: 5000, callId: '1.9', toolName: 'look_up' })
    const after = reduceRunViewState(before, [{ ...more, seq: events.length + 1 }])
    const node = (state: typeof before) => timelineTree(state).nodes.get('root 1.1')?.node
    expect(node(after)).toBe(node(before))
  })

  it('a word that an active run writes changes no row, and the next call changes only the rows of its run', () => {
    const events = harbourRun().filter(({ type }) => type !== 'run-end')
    const before = reduceRunViewState(EMPTY_RUN_VIEW_STATE, events)
    const [start] = events.filter(({ depth }) => depth === 1)
    if (start === undefined) throw new Error('The run has no child.')
    const { runId, rootRunId, instance, agent, depth } = start
    const base = { runId, rootRunId, instance, agent, depth, time: 9000 }
    const delta = sampleEvent('text-delta', { ...base, text: 'A word' })
    const written = reduceRunViewState(before, [delta])
    expect(written.timeline).not.toBe(before.timeline)
    expect(timelineTree(written)).toBe(timelineTree(before))

    const call = sampleEvent('tool-call', { ...base, callId: '9.9', toolName: 'look_up' })
    const called = reduceRunViewState(written, [{ ...call, seq: before.timeline.seq + 1 }])
    expect(timelineTree(called).nodes.get(`${runId} 9.9`)).toBeDefined()
    expect(timelineTree(called)).not.toBe(timelineTree(before))
  })

  it('the path of a run names all runs above it', () => {
    const { timeline } = reduceRunViewState(EMPTY_RUN_VIEW_STATE, harbourRun())
    expect(timeline.runs.map((run) => runPath(timeline, run))).toEqual(['Newsroom', 'Newsroom › Reporter[1]'])
  })

  it('the input of a row is its first text in one line, else its arguments, and never long', () => {
    expect(inputLine({ limit: 3, text: '\n  crate 13\nof the archive' })).toBe('crate 13')
    expect(inputLine({ limit: 3 })).toBe('{"limit":3}')
    expect(inputLine({})).toBe('')
    expect(firstLine('x'.repeat(100_000)).length).toBeLessThan(210)
  })
})

describe('fan-out rows', () => {
  it('five calls of the same tool are one closed row, four are not', () => {
    expect(rowsOf(fanOut(steps(5, 'look_up'))).map(({ node }) => nameOf(node))).toEqual([
      'Lead',
      'look_up ×5',
    ])
    expect(rowsOf(fanOut(steps(4, 'look_up')))).toHaveLength(5)
  })

  it('calls of one turn are grouped by tool, and calls of later turns until another tool is called', () => {
    const mixed: readonly Step[] = Array.from({ length: 10 }, (_, index) => [
      1,
      index % 2 === 0 ? 'look_up' : 'count',
      'completed',
    ])
    const rows = rowsOf(
      fanOut([...mixed, ...steps(1, 'count', 2), ...steps(1, 'publish', 3), ...steps(2, 'count', 4)]),
    )
    expect(rows.map(({ node }) => nameOf(node))).toEqual([
      'Lead',
      'look_up ×5',
      'count ×6',
      'publish',
      'count',
      'count',
    ])
  })

  it('a group has the numbers, the times and the merged bar of its calls', () => {
    const [, row] = rowsOf(fanOut([...steps(4, 'look_up'), [1, 'look_up', 'failed'], [1, 'look_up']], false))
    const group = row?.node
    if (group?.kind !== 'group') throw new Error('There is no group.')
    expect(summarizeGroup(group)).toEqual({
      count: 6,
      completed: 4,
      failed: 1,
      stopped: 0,
      atWork: 1,
      medianMs: 100,
    })
    expect(group).toMatchObject({ from: 1000, to: undefined, state: 'running' })
    expect(group.segments.filter(({ kind }) => kind === 'tool')).toEqual([
      { kind: 'tool', from: 1000, to: 1400 },
      { kind: 'tool', from: 1500, to: undefined },
      { kind: 'tool', from: 1400, to: 1500, tone: 'failed' },
    ])
  })

  it('an open group stays open when it grows', () => {
    const all = fanOut(steps(7, 'look_up'))
    const [, group] = rowsOf(all.slice(0, 16))
    const toggled = [group?.node.key ?? '']
    expect(rowsOf(all.slice(0, 16), toggled)).toHaveLength(7)
    expect(rowsOf(all, toggled)).toHaveLength(9)
  })

  it('a stopped run has no row at work', () => {
    const events = fanOut([...steps(3, 'look_up'), [1, 'look_up'], [1, 'look_up']])
    const states = [...treeOf(events).nodes.values()].map(({ node }) => node.state)
    expect(states).not.toContain('running')
    expect(extentOfTree(treeOf(events))).toEqual({ from: 1000, to: 9000, isOpen: false })
  })
})

describe('rows below an ended run', () => {
  it('a child whose end was not stored does not continue after its root has ended', () => {
    const cut = harbourRun().filter(({ runId, type }) => runId !== 'child' || type !== 'run-end')
    const child = treeOf(cut).nodes.get('child')?.node
    expect(child).toMatchObject({ state: 'interrupted', to: 2000 })
    expect(extentOfTree(treeOf(cut)).isOpen).toBe(false)
  })
})

describe('search and filters of the timeline', () => {
  const events = fanOut([...steps(6, 'look_up'), [2, 'publish', 'failed']])
  const tree = treeOf(events)

  it('the search finds names, arguments, errors and answers in any case, in the order of the tree', () => {
    expect(searchRows(tree, 'CRATE 3')).toEqual(['root 1.3'])
    expect(searchRows(tree, 'is empty')).toEqual(['root 1.7'])
    expect(searchRows(tree, 'look_up')).toHaveLength(6)
    expect(searchRows(treeOf(harbourRun()), 'a ferry.')).toEqual(['child'])
    expect(searchRows(tree, '  ')).toEqual([])
  })

  it('a hit in a closed group opens the rows above it', () => {
    const toggled = reveal(tree, ['root 1.3'], new Set(['root']))
    expect(visibleRows(tree, { toggled }).map(({ node }) => node.key)).toContain('root 1.3')
    expect(reveal(tree, ['root 1.3'], toggled)).toBe(toggled)
  })

  it('errors only shows failed rows with those above them', () => {
    const only = withAncestors(tree, failedKeys(tree))
    expect(visibleRows(tree, { toggled: new Set(), only }).map(({ node }) => nameOf(node))).toEqual([
      'Lead',
      'publish',
    ])
  })

  it('the next hit follows the selected row, and the first one follows the last', () => {
    const keys = ['root 1.2', 'root 1.4']
    const from = (selected: string | undefined, by: 1 | -1 = 1) => nextKey(tree, keys, { selected, by })
    expect([from(undefined), from('root 1.2'), from('root 1.3'), from('root 1.4')]).toEqual([
      'root 1.2',
      'root 1.4',
      'root 1.4',
      'root 1.2',
    ])
    expect([from('root 1.4', -1), from('root', -1)]).toEqual(['root 1.2', 'root 1.4'])
  })

  it('the critical path of a tree names its slowest row, and is known for closed rows above', () => {
    const path = pathOfTree(tree, 9000)
    expect(path.slowest).toBe('root')
    expect(path.own.get('root 1.7')).toEqual([{ key: 'root 1.7', from: 1600, to: 1700 }])
    expect(path.below.get('root')?.length).toBe(8)
  })
})

describe('bars of the timeline', () => {
  const RUN = { runId: 'root', agent: 'Lead', instance: 'Lead', depth: 0 }
  const tonesOf = (code: 'run_cancelled' | 'model_refused', outcome: 'cancelled' | 'failed') => {
    const drafts = [
      sampleEvent('run-start', { ...RUN, time: 1000 }),
      sampleEvent('turn-start', { ...RUN, time: 1000 }),
      sampleEvent('usage', { ...RUN, time: 2000, latencyMs: 1000, error: failure(code, 'No.') }),
      sampleEvent('run-end', { ...RUN, time: 2000, outcome, error: failure(code, 'No.') }),
    ]
    const events = drafts.map((draft, index): RunEvent => ({ ...draft, seq: index + 1 }))
    const state = reduceRunViewState(EMPTY_RUN_VIEW_STATE, events)
    const [root] = timelineTree(state).roots
    return root?.segments.map(({ kind, tone }) => `${kind} ${tone}`)
  }

  it('the bars of a run that was stopped on request are cancelled, not failed', () => {
    expect(tonesOf('run_cancelled', 'cancelled')).toEqual(['run cancelled', 'model cancelled'])
  })

  it('the bars of a run whose model failed are failed', () => {
    expect(tonesOf('model_refused', 'failed')).toEqual(['run failed', 'model failed'])
  })
})
