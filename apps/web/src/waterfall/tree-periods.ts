import { criticalPath, type PathPiece, type PathSpan } from './critical-path.ts'
import type { TimePeriod } from './time-map.ts'
import type { RunNode, TimelineNode, WaterfallTree } from './timeline-node.ts'

/** The period of a tree in ms since 1970. */
export interface TreeExtent {
  readonly from: number
  /** The last end of a row. */
  readonly to: number
  /** True while a row continues. */
  readonly isOpen: boolean
}

/** Returns the period that the rows cover; 0 to 1 for no rows. */
export function extentOfTree({ nodes }: WaterfallTree): TreeExtent {
  let from = Infinity
  let to = 0
  let isOpen = false
  for (const { node } of nodes.values()) {
    from = Math.min(from, node.from)
    to = Math.max(to, node.to ?? node.from)
    isOpen ||= node.to === undefined
  }
  return from === Infinity ? { from: 0, to: 1, isOpen } : { from, to: Math.max(to, from + 1), isOpen }
}

/** Returns the periods in which a model or a tool was active. Activities that continue end at `end`. */
export function activePeriods({ nodes }: WaterfallTree, end: number): readonly TimePeriod[] {
  const periods: TimePeriod[] = []
  const add = (node: TimelineNode, waits: readonly TimePeriod[]): void => {
    for (const { kind, from, to = end } of node.segments)
      if ((kind === 'model' || kind === 'tool') && to >= from) periods.push(...without({ from, to }, waits))
  }
  for (const { node } of nodes.values()) {
    if (node.kind !== 'run') continue
    const waits = node.segments.flatMap(({ kind, from, to = end }) => (kind === 'wait' ? [{ from, to }] : []))
    add(node, [])
    for (const child of callsOf(node)) if (child.kind === 'call') add(child, waits)
  }
  return periods
}

/** Returns the parts of a period outside of others. */
function without(period: TimePeriod, others: readonly TimePeriod[]): readonly TimePeriod[] {
  return others.reduce<readonly TimePeriod[]>(
    (parts, { from, to }) =>
      parts.flatMap((part) =>
        to <= part.from || from >= part.to
          ? [part]
          : [
              { from: part.from, to: from },
              { from: to, to: part.to },
            ].filter((rest) => rest.to > rest.from),
      ),
    [period],
  )
}

/** Returns the runs and calls of a run, without groups. */
function callsOf({ children }: RunNode): readonly TimelineNode[] {
  return children.flatMap((child): readonly TimelineNode[] =>
    child.kind === 'group' ? child.children : [child],
  )
}

/** The critical path by rows. */
export interface TreePath {
  /** The pieces of each row itself. */
  readonly own: ReadonlyMap<string, readonly PathPiece[]>
  /** The pieces of each row and of all rows below it. */
  readonly below: ReadonlyMap<string, readonly PathPiece[]>
  /** The row with the longest piece. */
  readonly slowest: string | undefined
}

/** Returns the critical path of the first root. Rows that continue end at `end`. */
export function pathOfTree(tree: WaterfallTree, end: number): TreePath {
  const [root] = tree.roots
  const pieces = root === undefined ? [] : criticalPath(spanOf(root, end))
  const own = Map.groupBy(pieces, ({ key }) => key)
  const below = new Map<string, PathPiece[]>()
  for (const piece of pieces)
    for (let key: string | undefined = piece.key; key !== undefined; key = tree.nodes.get(key)?.parent) {
      const known = below.get(key)
      if (known === undefined) below.set(key, [piece])
      else known.push(piece)
    }
  const slowest = pieces.reduce<PathPiece | undefined>(
    (longest, piece) =>
      longest !== undefined && longest.to - longest.from >= piece.to - piece.from ? longest : piece,
    undefined,
  )
  return { own, below, slowest: slowest?.key }
}

function spanOf(node: TimelineNode, end: number): PathSpan {
  const { key, from, to = end } = node
  return {
    key,
    from,
    to: Math.max(from, to),
    children: node.kind === 'run' ? callsOf(node).map((child) => spanOf(child, end)) : [],
  }
}
