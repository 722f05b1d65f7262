import type { Usage } from '@troupe/schema'
import type { CallView, TimelineRun } from '@troupe/timeline'
import { callApprovals, type DisplayState } from '../reducers/run-view-state.ts'
import type { Segment } from './segment.ts'

interface NodeBase {
  readonly key: string
  /** The agent or the tool. */
  readonly name: string
  /** The first line of the input. */
  readonly input: string
  readonly state: DisplayState
  /** In ms since 1970. */
  readonly from: number
  /** `undefined` until it ends. */
  readonly to: number | undefined
  readonly segments: readonly Segment[]
  readonly children: readonly TimelineNode[]
  /** Usage of the run, or of all runs of a group, with all child runs. */
  readonly usage: Usage
}

/** A run with its calls. */
export interface RunNode extends NodeBase {
  readonly kind: 'run'
  readonly run: TimelineRun
}

/** A tool call, or a call of an agent whose run has not started. */
export interface CallNode extends NodeBase {
  readonly kind: 'call'
  readonly run: TimelineRun
  readonly call: CallView
}

/** Siblings that call the same agent or tool, as one row. Its children are the siblings. */
export interface GroupNode extends NodeBase {
  readonly kind: 'group'
  /** True if they are agents. */
  readonly isAgent: boolean
  readonly children: readonly (RunNode | CallNode)[]
}

/** A row of the timeline, with the rows below it. */
export type TimelineNode = RunNode | CallNode | GroupNode

/** The rows of a run tree, whether they are shown or not. */
export interface WaterfallTree {
  readonly roots: readonly RunNode[]
  /** All nodes in order, with the key of the node above. */
  readonly nodes: ReadonlyMap<string, { readonly node: TimelineNode; readonly parent: string | undefined }>
}

/** Returns the open approvals and questions that a row waits for. */
export function approvalsOf(node: TimelineNode): TimelineRun['approvals'] {
  switch (node.kind) {
    case 'run':
      return node.run.approvals
    case 'call':
      return callApprovals(node.call, node.run)
    default:
      return node.children.flatMap(approvalsOf)
  }
}

/** Returns the key of a call's row. */
export function callKey(runId: string, callId: string): string {
  return `${runId} ${callId}`
}
