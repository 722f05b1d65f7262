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
import { calledName, firstLine, inputLine } from './input-line.ts'
import { callSegments, NO_SPANS, runSegments } from './segment.ts'
import { groupSiblings, type Sibling } from './sibling-groups.ts'
import {
  callKey,
  type CallNode,
  type RunNode,
  type TimelineNode,
  type WaterfallTree,
} from './timeline-node.ts'

const trees = new WeakMap<RunViewState, WaterfallTree>()

/** Returns the tree of a run. Calls without child runs that have not changed since are the same nodes. */
export function timelineTree(viewState: RunViewState): WaterfallTree {
  const known = trees.get(viewState)
  if (known !== undefined) return known
  const roots = historyOf(viewState.timeline).map((history) => runNode(history, viewState))
  const tree = { roots, nodes: indexNodes(roots) }
  trees.set(viewState, tree)
  return tree
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

function runNode({ run, calls }: HistoryRun, viewState: RunViewState): RunNode {
  const spans = viewState.spans.get(run.runId) ?? NO_SPANS
  // Nothing below an ended run continues, even if its end was not stored.
  const below = run.endedAt === undefined ? viewState : { ...viewState, interruptedAt: run.endedAt }
  const siblings = calls.flatMap((call) => siblingsOf(call, { run, spans, viewState: below }))
  const usages = siblings.flatMap(({ node }) => (node.kind === 'run' ? [node.usage] : []))
  return {
    kind: 'run',
    key: run.runId,
    name: run.agent,
    input: firstLine(run.input),
    run,
    state: runState(run, viewState),
    from: run.startedAt,
    to: run.endedAt ?? endOfInterrupted(run.startedAt, viewState),
    segments: runSegments(run, spans, viewState.interruptedAt),
    children: groupSiblings(siblings),
    usage: usages.length === 0 ? run.usage : sumUsage([run.usage, ...usages]),
  }
}

function endOfInterrupted(from: number, { interruptedAt }: RunViewState): number | undefined {
  return interruptedAt === undefined ? undefined : Math.max(from, interruptedAt)
}

function siblingsOf(
  { call, runs }: HistoryCall,
  context: { readonly run: TimelineRun; readonly spans: RunSpans; readonly viewState: RunViewState },
): readonly Sibling[] {
  if (runs.length > 0)
    return runs.map((child) => ({ turn: call.turn, node: runNode(child, context.viewState) }))
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
    input: inputLine(call.args),
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
