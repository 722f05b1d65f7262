import { addUsage, NO_USAGE, type Usage } from '@troupe/schema'
import { canonicalJson } from '@troupe/schema/json'
import { alignCalls } from './align-turns.ts'
import { groupBy, type WorkBudget } from './match-calls.ts'
import { childrenByParent } from './tree.ts'
import { findRun, type CallView, type Timeline, type TimelineRun } from './view.ts'

/** State of a row: `left` and `right` are rows that only one of the two runs has. */
export type AlignedState = 'equal' | 'changed' | 'left' | 'right'

/** A part in which the two sides of a row differ. */
export type AlignedPart = 'agent' | 'input' | 'arguments' | 'result' | 'answer' | 'outcome' | 'model'

/** One side of a row: a call with the run that it opened, or a run without a call, such as the root run. */
export interface AlignedSide {
  readonly call?: CallView
  readonly run?: TimelineRun
  /** Usage of the run and of all runs below it. No usage for a call that opened no run. */
  readonly usage: Usage
  /** Time of the call, or of the run, in ms; `undefined` while it is open. */
  readonly durationMs?: number
}

/** A row of a comparison. At least one side is present. */
export interface AlignedRow {
  /** 0 for the root run. */
  readonly depth: number
  /** Index of the row of the run that made the call; -1 for the root run. */
  readonly parent: number
  readonly state: AlignedState
  readonly left?: AlignedSide
  readonly right?: AlignedSide
  /** The parts that differ if both sides are present. Rows below are not considered. */
  readonly differences: readonly AlignedPart[]
}

/** Two run trees, row by row. */
export interface AlignedRuns {
  /** The root run, and below each run its calls in call order. */
  readonly rows: readonly AlignedRow[]
  /** Number of rows by state. */
  readonly counts: Readonly<Record<AlignedState, number>>
}

/** Steps of work for one alignment: some tens of milliseconds. */
const MAX_STEPS = 6_000_000

/**
 * Aligns two run trees: root run with root run, the calls of each run by turn, tool, arguments and order, and
 * child runs by the call that opened them. Every call has exactly one row. The work is bounded; what exceeds
 * the bound is aligned by position.
 */
export function alignRuns(left: Timeline, right: Timeline): AlignedRuns {
  const rows: AlignedRow[] = []
  const context: AlignContext = {
    rows,
    left: openSide(left),
    right: openSide(right),
    budget: { steps: MAX_STEPS },
  }
  const roots = { left: rootNode(left), right: rootNode(right) }
  if (roots.left !== undefined || roots.right !== undefined) addRow(roots, { depth: 0, parent: -1 }, context)
  const counts = { equal: 0, changed: 0, left: 0, right: 0 }
  for (const { state } of rows) counts[state] += 1
  return { rows, counts }
}

/** A call with the run that it opened, or a run without a call. */
interface AlignedNode {
  readonly call?: CallView | undefined
  readonly run?: TimelineRun | undefined
}

/** Two nodes that belong together, or one without a partner. */
interface NodePair {
  readonly left?: AlignedNode | undefined
  readonly right?: AlignedNode | undefined
}

interface TreeSide {
  readonly children: ReadonlyMap<string, readonly TimelineRun[]>
  /** Runs that have a row, so that damaged events cannot cause a loop. */
  readonly placed: Set<string>
}

interface AlignContext {
  readonly rows: AlignedRow[]
  readonly left: TreeSide
  readonly right: TreeSide
  readonly budget: WorkBudget
}

function openSide(timeline: Timeline): TreeSide {
  return { children: childrenByParent(timeline), placed: new Set() }
}

function rootNode(timeline: Timeline): AlignedNode | undefined {
  const run = findRun(timeline, timeline.rootRunId ?? '')
  return run === undefined ? undefined : { run }
}

/** Adds the row of a pair and the rows below it. Returns the usage of both sides. */
function addRow(
  { left, right }: NodePair,
  position: Pick<AlignedRow, 'depth' | 'parent'>,
  context: AlignContext,
): { readonly left: Usage; readonly right: Usage } {
  const { rows } = context
  const index = rows.length
  // The row is replaced when the usage of the rows below it is known.
  rows.push({ ...position, state: 'equal', differences: [] })
  const usage = { left: left?.run?.usage ?? NO_USAGE, right: right?.run?.usage ?? NO_USAGE }
  for (const pair of pairsBelow(left?.run, right?.run, context)) {
    const below = addRow(pair, { depth: position.depth + 1, parent: index }, context)
    usage.left = addUsage(usage.left, below.left)
    usage.right = addUsage(usage.right, below.right)
  }
  const differences = left === undefined || right === undefined ? [] : differencesOf(left, right)
  rows[index] = {
    ...position,
    state: stateOf({ left, right }, differences),
    ...(left === undefined ? {} : { left: toSide(left, usage.left) }),
    ...(right === undefined ? {} : { right: toSide(right, usage.right) }),
    differences,
  }
  return usage
}

function stateOf({ left, right }: NodePair, differences: readonly AlignedPart[]): AlignedState {
  if (right === undefined) return 'left'
  if (left === undefined) return 'right'
  return differences.length === 0 ? 'equal' : 'changed'
}

function toSide({ call, run }: AlignedNode, usage: Usage): AlignedSide {
  const durationMs = call?.durationMs ?? run?.durationMs
  return {
    ...(call === undefined ? {} : { call }),
    ...(run === undefined ? {} : { run }),
    usage,
    ...(durationMs === undefined ? {} : { durationMs }),
  }
}

/** Pairs the calls of two runs, then the child runs that no call names. */
function pairsBelow(
  left: TimelineRun | undefined,
  right: TimelineRun | undefined,
  context: AlignContext,
): readonly NodePair[] {
  const leftNodes = nodesBelow(left, context.left)
  const rightNodes = nodesBelow(right, context.right)
  const calls = alignCalls(left?.calls ?? [], right?.calls ?? [], context.budget).map((pair) => ({
    left: pair.left === undefined ? undefined : leftNodes.byCall.get(pair.left),
    right: pair.right === undefined ? undefined : rightNodes.byCall.get(pair.right),
  }))
  return [...calls, ...pairRuns(leftNodes.others, rightNodes.others)]
}

interface NodesBelow {
  readonly byCall: ReadonlyMap<CallView, AlignedNode>
  /** Child runs without a call, and the earlier ones of a call that a hook repeated. */
  readonly others: readonly TimelineRun[]
}

function nodesBelow(run: TimelineRun | undefined, { children, placed }: TreeSide): NodesBelow {
  if (run === undefined) return { byCall: new Map(), others: [] }
  const own = (children.get(run.runId) ?? []).filter(({ runId }) => !placed.has(runId))
  for (const { runId } of own) placed.add(runId)
  const opened = groupBy(own, ({ callId }) => callId)
  const byCall = new Map(
    run.calls.map((call) => [call, { call, run: opened.get(call.callId)?.at(-1) }] as const),
  )
  const named = new Set([...byCall.values()].map((node) => node.run))
  return { byCall, others: own.filter((child) => !named.has(child)) }
}

/** Pairs runs of the same agent in their order. */
function pairRuns(left: readonly TimelineRun[], right: readonly TimelineRun[]): readonly NodePair[] {
  const byAgent = groupBy(right, ({ agent }) => agent)
  const used = new Map<string, number>()
  const paired = new Set<TimelineRun>()
  const pairs = left.map((run) => {
    const position = used.get(run.agent) ?? 0
    used.set(run.agent, position + 1)
    const partner = byAgent.get(run.agent)?.[position]
    if (partner !== undefined) paired.add(partner)
    return { left: { run }, right: partner === undefined ? undefined : { run: partner } }
  })
  const rest = right.filter((run) => !paired.has(run))
  return [...pairs, ...rest.map((run) => ({ left: undefined, right: { run } }))]
}

function differencesOf(left: AlignedNode, right: AlignedNode): readonly AlignedPart[] {
  const [call, otherCall] = [left.call, right.call]
  const [run, otherRun] = [left.run, right.run]
  const hasBothRuns = run !== undefined && otherRun !== undefined
  const parts: (readonly [AlignedPart, boolean])[] = [
    ['agent', hasBothRuns && run.agent !== otherRun.agent],
    // The arguments and the result of a call are the input and the answer of its run.
    ['input', call === undefined && run?.input !== otherRun?.input],
    ['arguments', !isSameJson(call?.args, otherCall?.args)],
    ['result', !isSameJson(resultOf(call), resultOf(otherCall))],
    ['answer', call === undefined && !isSameJson(answerOf(run), answerOf(otherRun))],
    ['outcome', (call ?? run)?.outcome !== (otherCall ?? otherRun)?.outcome],
    ['model', hasBothRuns && run.model !== otherRun.model],
  ]
  return parts.filter(([, differs]) => differs).map(([part]) => part)
}

function resultOf(call: CallView | undefined): unknown {
  return call === undefined ? undefined : [call.content, call.error?.code, call.error?.message]
}

function answerOf(run: TimelineRun | undefined): unknown {
  return run === undefined ? undefined : [run.output ?? run.text, run.error?.code, run.error?.message]
}

function isSameJson(left: unknown, right: unknown): boolean {
  return left === right || canonicalJson(left) === canonicalJson(right)
}
