import { isFailed } from './sibling-groups.ts'
import type { TimelineNode, WaterfallTree } from './timeline-node.ts'

/** A row that is shown, with its position in the tree. */
export interface VisibleRow {
  readonly node: TimelineNode
  /** Depth in the tree, from 1. */
  readonly level: number
  /** Number of rows with the same parent, and the position among them, from 1. */
  readonly setSize: number
  readonly position: number
  /** `undefined` if no rows are below it. */
  readonly isOpen: boolean | undefined
}

/** Selects which rows are shown. */
export interface RowFilter {
  /** Keys of runs that are closed and of groups that are open. */
  readonly toggled: ReadonlySet<string>
  /** The only rows that are shown, all of them open; `undefined` for all. */
  readonly only?: ReadonlySet<string> | undefined
}

/** Returns the rows that are shown, from top to bottom. */
export function visibleRows({ roots }: WaterfallTree, { toggled, only }: RowFilter): readonly VisibleRow[] {
  const rows: VisibleRow[] = []
  const stack: Omit<VisibleRow, 'isOpen'>[] = []
  const push = (nodes: readonly TimelineNode[], level: number): void => {
    const shown = only === undefined ? nodes : nodes.filter(({ key }) => only.has(key))
    for (let index = shown.length - 1; index >= 0; index -= 1) {
      const node = shown[index]
      if (node !== undefined) stack.push({ node, level, setSize: shown.length, position: index + 1 })
    }
  }
  push(roots, 1)
  for (let row = stack.pop(); row !== undefined; row = stack.pop()) {
    const { node, level } = row
    const hasRows =
      only === undefined ? node.children.length > 0 : node.children.some(({ key }) => only.has(key))
    const isOpen = hasRows ? only !== undefined || isNodeOpen(node, toggled) : undefined
    rows.push({ ...row, isOpen })
    if (isOpen === true) push(node.children, level + 1)
  }
  return rows
}

function isNodeOpen({ kind, key }: TimelineNode, toggled: ReadonlySet<string>): boolean {
  return (kind === 'group') === toggled.has(key)
}

/** Returns the toggled keys after all rows above these were opened. */
export function reveal(
  { nodes }: WaterfallTree,
  keys: Iterable<string>,
  toggled: ReadonlySet<string>,
): ReadonlySet<string> {
  const after = new Set(toggled)
  for (const key of keys)
    for (let above = nodes.get(key)?.parent; above !== undefined; above = nodes.get(above)?.parent) {
      const node = nodes.get(above)?.node
      if (node === undefined || isNodeOpen(node, after)) continue
      if (node.kind === 'group') after.add(above)
      else after.delete(above)
    }
  return after.size === toggled.size && [...after].every((key) => toggled.has(key)) ? toggled : after
}

/** Returns the keys with those of all rows above them. */
export function withAncestors({ nodes }: WaterfallTree, keys: Iterable<string>): ReadonlySet<string> {
  const all = new Set<string>()
  for (const key of keys)
    for (let at: string | undefined = key; at !== undefined && !all.has(at); at = nodes.get(at)?.parent)
      all.add(at)
  return all
}

/** Returns the keys of the runs and calls without an answer, in order. */
export function failedKeys({ nodes }: WaterfallTree): readonly string[] {
  return [...nodes.values()].flatMap(({ node }) =>
    node.kind !== 'group' && isFailed(node.state) ? [node.key] : [],
  )
}

/** Returns the key that follows the selected row in the order of the tree, or the one before it. Goes round. */
export function nextKey(
  { nodes }: WaterfallTree,
  keys: readonly string[],
  { selected, by }: { readonly selected: string | undefined; readonly by: 1 | -1 },
): string | undefined {
  const ranks = new Map([...nodes.keys()].map((key, index) => [key, index]))
  const from = selected === undefined ? -1 : (ranks.get(selected) ?? -1)
  const rankOf = (key: string): number => ranks.get(key) ?? -1
  if (by === 1) return keys.find((key) => rankOf(key) > from) ?? keys[0]
  return keys.findLast((key) => rankOf(key) < from) ?? keys.at(-1)
}
