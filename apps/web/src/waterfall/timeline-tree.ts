import { NO_USAGE, sumUsage } from '@troupe/schema'
import {
  historyOf,
  type CallView,
  type HistoryCall,
  type HistoryRun,
  type TimelineRun,
} from '@troupe/timeline'
import { callState, runState, type RunViewState } from '../reducers/run-view-state.ts'
import type { RunSpans } from '../reducers/spans.ts'
import { calledName, callInput, firstLine } from './input-line.ts'
import { callSegments, NO_SPANS, runSegments } from './segment.ts'
import { groupSiblings, type Sibling } from './sibling-groups.ts'
import {
  callKey,
  type CallNode,
  type RunNode,
  type TimelineNode,
  type WaterfallTree,
} from './timeline-node.ts'

/** The trees by their states, and by their first roots. */
const trees = new WeakMap<RunViewState | RunNode, WaterfallTree>()

/**
 * Returns the tree of a run. Nodes in which nothing that rows show has changed are the same as before, and so is the
 * tree if this is true of all. The texts of active runs are not shown, so that a written word changes nothing.
 */
export function timelineTree(viewState: RunViewState): WaterfallTree {
  const known = trees.get(viewState)
  if (known !== undefined) return known
  const tree = treeOf(historyOf(viewState.timeline).map((history) => runNode(history, viewState)))
  trees.set(viewState, tree)
  return tree
}

function treeOf(roots: readonly RunNode[]): WaterfallTree {
  const [first] = roots
  const known = first === undefined ? undefined : trees.get(first)
  if (known !== undefined && isSameList(known.roots, roots)) return known
  const tree = { roots, nodes: indexNodes(roots) }
  if (first !== undefined) trees.set(first, tree)
  return tree
}

function isSameList(before: readonly RunNode[], after: readonly RunNode[]): boolean {
  return before.length === after.length && before.every((node, index) => node === after[index])
}

function indexNodes(roots: readonly RunNode[]): WaterfallTree['nodes'] {
  const nodes = new Map<string, { readonly node: TimelineNode; readonly parent: string | undefined }>()
  const stack: { node: TimelineNode; parent: string | undefined }[] = roots
    .map((node) => ({ node, parent: undefined }))
    .toReversed()
  for (let entry = stack.pop(); entry !== undefined; entry = stack.pop()) {
    const { node } = entry
    nodes.set(node.key, entry)
    for (const child of node.children.toReversed()) stack.push({ node: child, parent: node.key })
  }
  return nodes
}

interface CachedRunNode {
  readonly node: RunNode
  readonly spans: RunSpans
  readonly interruptedAt: number | undefined
  readonly children: readonly RunNode[]
}

/** The last node of each run, by the list of its calls, which stays the same while text is written. */
const runCache = new WeakMap<TimelineRun['calls'], CachedRunNode>()

function runNode({ run, calls }: HistoryRun, viewState: RunViewState): RunNode {
  const { interruptedAt } = viewState
  const spans = viewState.spans.get(run.runId) ?? NO_SPANS
  // Nothing below an ended run continues, even if its end was not stored.
  const below = run.endedAt === undefined ? viewState : { ...viewState, interruptedAt: run.endedAt }
  const runs = new Map(calls.flatMap((call) => call.runs).map((child) => [child, runNode(child, below)]))
  const children = [...runs.values()]
  const known = runCache.get(run.calls)
  if (
    known?.spans === spans &&
    known.interruptedAt === interruptedAt &&
    isSameInRows(known.node.run, run) &&
    isSameList(known.children, children)
  )
    return known.node
  const siblings = calls.flatMap((call) => siblingsOf(call, { run, runs, spans, viewState: below }))
  const node: RunNode = {
    kind: 'run',
    key: run.runId,
    name: run.agent,
    input: firstLine(run.input),
    run,
    state: runState(run, viewState),
    from: run.startedAt,
    to: run.endedAt ?? endOfInterrupted(run.startedAt, viewState),
    segments: runSegments(run, spans, interruptedAt),
    children: groupSiblings(siblings),
    usage: children.length === 0 ? run.usage : sumUsage([run.usage, ...children.map(({ usage }) => usage)]),
  }
  runCache.set(run.calls, { node, spans, interruptedAt, children })
  return node
}

/** The fields of an active run that change while it writes, and that no row shows. */
const UNSHOWN: ReadonlySet<string> = new Set<keyof TimelineRun>(['text', 'blockStart', 'activity', 'logs'])

function isSameInRows(before: TimelineRun, after: TimelineRun): boolean {
  if (before === after) return true
  if (after.state === 'done' || before.state === 'done') return false
  return Object.entries(after).every(
    ([field, value]) => UNSHOWN.has(field) || value === before[field as keyof TimelineRun],
  )
}

function endOfInterrupted(from: number, { interruptedAt }: RunViewState): number | undefined {
  return interruptedAt === undefined ? undefined : Math.max(from, interruptedAt)
}

function siblingsOf(
  { call, runs }: HistoryCall,
  context: {
    readonly run: TimelineRun
    /** The nodes of the child runs. */
    readonly runs: ReadonlyMap<HistoryRun, RunNode>
    readonly spans: RunSpans
    readonly viewState: RunViewState
  },
): readonly Sibling[] {
  const nodes = runs.flatMap((child) => context.runs.get(child) ?? [])
  if (nodes.length > 0) return nodes.map((node) => ({ turn: call.turn, node }))
  return [{ turn: call.turn, node: callNode(call, context) }]
}

interface CachedCallNode {
  readonly node: CallNode
  readonly span: unknown
  readonly waits: unknown
  readonly endedAt: number | undefined
}

const callCache = new WeakMap<CallView, CachedCallNode>()

function callNode(
  call: CallView,
  {
    run,
    spans,
    viewState,
  }: {
    readonly run: TimelineRun
    readonly spans: RunSpans
    readonly viewState: RunViewState
  },
): CallNode {
  const span = callSpans(spans.calls).get(call.callId)
  const state = callState(call, run, viewState)
  const known = callCache.get(call)
  if (
    known?.span === span &&
    known?.waits === spans.waits &&
    known.endedAt === run.endedAt &&
    known.node.state === state
  )
    return known.node
  const { interruptedAt } = viewState
  const node: CallNode = {
    kind: 'call',
    key: callKey(run.runId, call.callId),
    name: calledName(call),
    input: callInput(call),
    run,
    call,
    state,
    ...callSegments(call, run, { span, waits: spans.waits, interruptedAt }),
    children: [],
    usage: NO_USAGE,
  }
  callCache.set(call, { node, span, waits: spans.waits, endedAt: run.endedAt })
  return node
}

const spanCache = new WeakMap<RunSpans['calls'], ReadonlyMap<string, RunSpans['calls'][number]>>()

function callSpans(calls: RunSpans['calls']): ReadonlyMap<string, RunSpans['calls'][number]> {
  const known = spanCache.get(calls)
  if (known !== undefined) return known
  const spans = new Map(calls.map((span) => [span.callId, span]))
  spanCache.set(calls, spans)
  return spans
}
