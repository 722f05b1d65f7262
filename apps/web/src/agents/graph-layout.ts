/** An agent and the agents that it calls. */
export interface GraphAgent {
  readonly name: string
  readonly children: readonly string[]
}

/**
 * The position of an agent in the graph: columns from left to right by depth, rows from 0. Short columns are
 * centred, which gives half rows.
 */
export interface GraphNode {
  readonly name: string
  readonly column: number
  readonly row: number
}

/** A call between agents. `isBack` is true if it closes a cycle; such a call is refused when it runs. */
export interface GraphEdge {
  readonly from: string
  readonly to: string
  readonly isBack: boolean
}

/** The positions and edges of a team. */
export interface GraphLayout {
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
  readonly columns: number
  readonly rows: number
}

/**
 * Computes the layout of a team. Each agent appears once, in the column of the longest path to it, in the
 * order of the traversal.
 */
export function layoutGraph(agents: readonly GraphAgent[]): GraphLayout {
  const children = new Map(agents.map((agent) => [agent.name, agent.children]))
  const { columns, edges } = depthsOf(agents, children)
  const rows = rowsOf(columns)
  const nodes = [...columns].map(([name, column]) => ({ name, column, row: rows.get(name) ?? 0 }))
  const perColumn = nodes.map((node) => node.row + 1)
  return {
    nodes,
    edges,
    columns: Math.max(0, ...nodes.map((node) => node.column + 1)),
    rows: Math.max(0, ...perColumn),
  }
}

function depthsOf(
  agents: readonly GraphAgent[],
  children: ReadonlyMap<string, readonly string[]>,
): { readonly columns: ReadonlyMap<string, number>; readonly edges: readonly GraphEdge[] } {
  const columns = new Map<string, number>()
  const edges = new Map<string, GraphEdge>()
  const visit = (name: string, path: readonly string[]): void => {
    if ((columns.get(name) ?? -1) >= path.length) return
    columns.set(name, path.length)
    for (const child of children.get(name) ?? []) {
      const isBack = child === name || path.includes(child)
      edges.set(`${name}\n${child}`, { from: name, to: child, isBack })
      if (!isBack) visit(child, [...path, name])
    }
  }
  const called = new Set(agents.flatMap((agent) => agent.children))
  for (const { name } of agents) if (!called.has(name)) visit(name, [])
  for (const { name } of agents) if (!columns.has(name)) visit(name, [])
  return { columns, edges: [...edges.values()] }
}

/** Assigns rows. Columns shorter than the longest are centred. */
function rowsOf(columns: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const byColumn = Map.groupBy([...columns.keys()], (name) => columns.get(name) ?? 0)
  const longest = Math.max(0, ...[...byColumn.values()].map((names) => names.length))
  const rows = new Map<string, number>()
  for (const names of byColumn.values())
    for (const [index, name] of names.entries()) rows.set(name, index + (longest - names.length) / 2)
  return rows
}

/** Separates the agents that call or are called from those without calls. */
export function splitTeam<Member extends GraphAgent>(
  agents: readonly Member[],
): { readonly linked: readonly Member[]; readonly single: readonly Member[] } {
  const called = new Set(agents.flatMap(({ children }) => children))
  const isLinked = ({ name, children }: Member): boolean => children.length > 0 || called.has(name)
  return { linked: agents.filter(isLinked), single: agents.filter((agent) => !isLinked(agent)) }
}

/** A row of a team as an indented list. */
export interface TeamRow {
  readonly name: string
  readonly depth: number
  /** The agent that calls it; `undefined` at the top. */
  readonly from?: string
  /** True if its own calls are listed at an earlier row, or would close a cycle. */
  readonly isRepeated: boolean
}

/** Maximum number of rows of an indented list. */
const MAX_TREE_ROWS = 300

/** Returns a team as an indented list. An agent that several agents call has a row below each, with its calls once. */
export function treeRows(agents: readonly GraphAgent[]): readonly TeamRow[] {
  const children = new Map(agents.map((agent) => [agent.name, agent.children]))
  const called = new Set(agents.flatMap((agent) => agent.children))
  const rows: TeamRow[] = []
  const expanded = new Set<string>()
  const visit = (name: string, depth: number, from?: string): void => {
    if (rows.length >= MAX_TREE_ROWS) return
    const below = children.get(name) ?? []
    const isRepeated = expanded.has(name) && below.length > 0
    rows.push({ name, depth, ...(from === undefined ? {} : { from }), isRepeated })
    if (isRepeated) return
    expanded.add(name)
    for (const child of below) visit(child, depth + 1, name)
  }
  for (const { name } of agents) if (!called.has(name)) visit(name, 0)
  for (const { name } of agents) if (!expanded.has(name)) visit(name, 0)
  return rows
}
