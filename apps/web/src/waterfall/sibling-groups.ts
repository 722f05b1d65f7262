import { sumUsage } from '@troupe/schema'
import type { DisplayState } from '../reducers/run-view-state.ts'
import { mergeSegments } from './segment.ts'
import type { CallNode, GroupNode, RunNode, TimelineNode } from './timeline-node.ts'

/** Number of siblings from which they become one row. */
export const MIN_GROUP = 5

/** A node below a run, with the turn of its call. */
export interface Sibling {
  readonly turn: number
  readonly node: RunNode | CallNode
}

/**
 * Returns the nodes below a run. Five or more that call the same agent or tool become one group: the calls of
 * one turn, whose order has no meaning, and those of further turns until a turn calls something else.
 */
export function groupSiblings(siblings: readonly Sibling[]): readonly TimelineNode[] {
  return groupCalls(siblings.map(({ turn, node }) => ({ turn, name: node.name, node }))).flatMap(
    (members): readonly TimelineNode[] => {
      const nodes = members.map(({ node }) => node)
      return nodes.length < MIN_GROUP ? nodes : [groupNode(nodes)]
    },
  )
}

/** Returns calls of the same agent or tool together, if there are at least five; else each by itself. */
export function groupCalls<Call extends { readonly turn: number; readonly name: string }>(
  calls: readonly Call[],
): readonly (readonly Call[])[] {
  const groups: Call[][] = []
  for (const turn of Map.groupBy(calls, (call) => call.turn).values())
    for (const members of Map.groupBy(turn, ({ name }) => name).values()) {
      const last = groups.at(-1)
      if (last?.[0]?.name === members[0]?.name) last?.push(...members)
      else groups.push([...members])
    }
  if (groups.every(({ length }) => length < MIN_GROUP)) return calls.map((call) => [call])
  return groups.flatMap((members) => (members.length < MIN_GROUP ? members.map((call) => [call]) : [members]))
}

function groupNode(members: readonly (RunNode | CallNode)[]): GroupNode {
  const [first] = members
  const ends = members.map(({ to }) => to)
  return {
    kind: 'group',
    key: `group ${first?.key}`,
    name: first?.name ?? '',
    input: '',
    isAgent: members.some((node) => node.kind === 'run' || node.call.source === 'agent'),
    state: groupState(members.map(({ state }) => state)),
    from: members.reduce((from, node) => Math.min(from, node.from), Infinity),
    to: ends.includes(undefined) ? undefined : ends.reduce((to = 0, end = 0) => Math.max(to, end), 0),
    segments: mergeSegments(members.flatMap(({ segments }) => segments)),
    children: members,
    usage: sumUsage(members.map(({ usage }) => usage)),
  }
}

const FAILED: ReadonlySet<DisplayState> = new Set(['failed', 'timeout', 'denied', 'budget', 'damaged'])
const AT_WORK: ReadonlySet<DisplayState> = new Set(['running', 'queued', 'waiting'])

/** Returns true for the states of a run or a call without an answer. A stopped run is not a failure. */
export function isFailed(state: DisplayState): boolean {
  return FAILED.has(state)
}

function groupState(states: readonly DisplayState[]): DisplayState {
  const order = ['waiting', 'running', 'queued', 'interrupted'] as const
  const open = order.find((state) => states.includes(state))
  if (open === undefined && states.includes('completed') && states.some(isFailed)) return 'partial'
  return open ?? states.find(isFailed) ?? states.find((state) => state !== 'completed') ?? 'completed'
}

/** The numbers of a group. */
export interface GroupSummary {
  readonly count: number
  readonly completed: number
  readonly failed: number
  /** Those that were stopped or interrupted. */
  readonly stopped: number
  readonly atWork: number
  /** Median duration of those that have ended, in ms; `undefined` if none has. */
  readonly medianMs: number | undefined
}

/** Returns the numbers of the nodes of a group. */
export function summarizeGroup({ children }: Pick<GroupNode, 'children'>): GroupSummary {
  const failed = children.filter(({ state }) => isFailed(state)).length
  const atWork = children.filter(({ state }) => AT_WORK.has(state)).length
  const stopped = children.filter(({ state }) => state === 'cancelled' || state === 'interrupted').length
  const durations = children
    .flatMap(({ state, from, to }) => (to === undefined || AT_WORK.has(state) ? [] : [to - from]))
    .toSorted((a, b) => a - b)
  const middle = Math.floor(durations.length / 2)
  const upper = durations[middle]
  const lower = durations[durations.length % 2 === 0 ? middle - 1 : middle]
  return {
    count: children.length,
    completed: children.length - failed - atWork - stopped,
    failed,
    stopped,
    atWork,
    medianMs: upper === undefined ? undefined : ((lower ?? upper) + upper) / 2,
  }
}
