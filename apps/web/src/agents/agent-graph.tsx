import type { ReactElement } from 'react'
import { hrefOf } from '../route/route.ts'

const WIDTH = 190
const HEIGHT = 40
const GAP_X = 70
const GAP_Y = 16
const MARGIN = 8
/** A drawing wider than the page is scaled down, but not below this factor, to stay readable. */
const MIN_SCALE = 0.74

/** Draws a team as a graph of calls, from left to right. Each agent is a link. */
export function AgentGraph({
  agents,
  selected,
}: {
  readonly agents: readonly GraphAgent[]
  readonly selected?: string | undefined
}): ReactElement {
  const layout = layoutGraph(agents)
  const width = 2 * MARGIN + layout.columns * WIDTH + Math.max(0, layout.columns - 1) * GAP_X
  const height = 2 * MARGIN + layout.rows * HEIGHT + Math.max(0, layout.rows - 1) * GAP_Y
  const names = new Set(agents.map(({ name }) => name))
  return (
    <div className="overflow-x-auto" role="region" aria-label="Who calls whom" tabIndex={0}>
      <svg
        width={width}
        height={height}
        className="h-auto max-w-full"
        style={{ minWidth: MIN_SCALE * width }}
        viewBox={`0 0 ${width} ${height}`}
        role="group"
        aria-label="Agents"
      >
        {layout.edges.map((edge) => (
          <path
            key={`${edge.from} ${edge.to}`}
            d={edgePath(edge, layout)}
            fill="none"
            className={edge.isBack ? 'stroke-warn' : 'stroke-strong-line'}
            strokeWidth={1.5}
            strokeDasharray={edge.isBack ? '4 3' : undefined}
          >
            <title>
              {edge.from} calls {edge.to}
            </title>
          </path>
        ))}
        {layout.nodes.map((node) => {
          const { x, y } = nodePosition(node)
          const isSelected = node.name === selected
          const box = (
            <>
              <rect
                x={x}
                y={y}
                width={WIDTH}
                height={HEIGHT}
                rx={8}
                className={isSelected ? 'fill-accent-wash stroke-accent' : 'fill-panel stroke-line'}
                strokeWidth={isSelected ? 1.5 : 1}
              />
              <text
                x={x + 12}
                y={y + HEIGHT / 2}
                dominantBaseline="central"
                className={
                  isSelected ? 'fill-accent text-small font-semibold' : 'fill-ink text-small font-medium'
                }
              >
                {shorten(node.name)}
                <title>{node.name}</title>
              </text>
            </>
          )
          return names.has(node.name) ? (
            <a key={node.name} href={hrefOf({ page: 'agent', agent: node.name })} aria-label={node.name}>
              {box}
            </a>
          ) : (
            <g key={node.name}>{box}</g>
          )
        })}
      </svg>
    </div>
  )
}

function nodePosition({ column, row }: { readonly column: number; readonly row: number }): {
  readonly x: number
  readonly y: number
} {
  return { x: MARGIN + column * (WIDTH + GAP_X), y: MARGIN + row * (HEIGHT + GAP_Y) }
}

function edgePath({ from, to, isBack }: GraphEdge, { nodes }: GraphLayout): string {
  const start = nodes.find(({ name }) => name === from)
  const end = nodes.find(({ name }) => name === to)
  if (start === undefined || end === undefined) return ''
  const a = nodePosition(start)
  const b = nodePosition(end)
  const [x1, y1] = [a.x + WIDTH, a.y + HEIGHT / 2]
  const [x2, y2] = isBack ? [b.x + WIDTH, b.y + HEIGHT / 2] : [b.x, b.y + HEIGHT / 2]
  const bend = isBack ? GAP_X : (x2 - x1) / 2
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${isBack ? x2 + bend : x2 - bend} ${y2} ${x2} ${y2}`
}

function shorten(name: string): string {
  return name.length > 24 ? `${name.slice(0, 23)}…` : name
}

/** An agent and the agents that it calls. */
interface GraphAgent {
  readonly name: string
  readonly children: readonly string[]
}

/**
 * The position of an agent in the graph: columns from left to right by depth, rows from 0. Short columns are
 * centred, which gives half rows.
 */
interface GraphNode {
  readonly name: string
  readonly column: number
  readonly row: number
}

/** A call between agents. `isBack` is true if it closes a cycle; such a call is refused when it runs. */
interface GraphEdge {
  readonly from: string
  readonly to: string
  readonly isBack: boolean
}

/** The positions and edges of a team. */
interface GraphLayout {
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
