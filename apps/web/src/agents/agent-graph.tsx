import type { Agent } from '@troupe/client'
import { ShieldQuestion, TriangleAlert } from 'lucide-react'
import { useMemo, type ReactElement } from 'react'
import { hrefOf } from '../route/route.ts'
import { classNames } from '../ui/class-names.ts'
import { AgentFigures } from './agent-figures.tsx'
import { layoutGraph, treeRows, type GraphEdge, type GraphLayout, type GraphNode } from './graph-layout.ts'
import { failureShare, toolMarks, toolsText, type HeatBy, type TeamFigures } from './team-figures.ts'

const WIDTH = 224
const HEIGHT = 92
const GAP_X = 104
const GAP_Y = 18
const MARGIN = 8

/** Options of the drawing of a team. */
interface GraphProps {
  readonly agents: readonly Agent[]
  readonly figures: TeamFigures
  readonly heatBy?: HeatBy
  /** Names of the agents that are at work. */
  readonly active?: ReadonlySet<string>
  readonly selected?: string | undefined
}

/** Draws a team as a graph of calls, from left to right, and as an indented list on narrow screens. */
export function AgentGraph(props: GraphProps): ReactElement {
  return (
    <>
      <div className="hidden sm:block">
        <GraphDrawing {...props} />
      </div>
      <div className="sm:hidden">
        <GraphList {...props} />
      </div>
    </>
  )
}

function GraphDrawing(props: GraphProps): ReactElement {
  const { agents, figures } = props
  const layout = useMemo(() => layoutGraph(agents), [agents])
  const byName = new Map(agents.map((agent) => [agent.name, agent]))
  const width = 2 * MARGIN + layout.columns * WIDTH + Math.max(0, layout.columns - 1) * GAP_X
  const height = 2 * MARGIN + layout.rows * HEIGHT + Math.max(0, layout.rows - 1) * GAP_Y
  const nodes = layout.nodes.toSorted((a, b) => a.column - b.column || a.row - b.row)
  return (
    <div className="overflow-x-auto" role="region" aria-label="Who calls whom" tabIndex={0}>
      <div className="relative" style={{ width, height }}>
        <svg width={width} height={height} className="absolute inset-0" aria-hidden="true">
          {layout.edges.map((edge) => (
            <CallLine key={`${edge.from} ${edge.to}`} edge={edge} layout={layout} figures={figures} />
          ))}
        </svg>
        {nodes.map((node) => {
          const { x, y } = nodePosition(node)
          const agent = byName.get(node.name)
          return (
            <div
              key={node.name}
              className="absolute"
              style={{ left: x, top: y, width: WIDTH, height: HEIGHT }}
            >
              {agent === undefined ? (
                <div className="h-full rounded-lg border border-dashed border-line p-2.5 text-small text-muted">
                  {node.name}
                </div>
              ) : (
                <AgentBox {...props} agent={agent} />
              )}
            </div>
          )
        })}
      </div>
    </div>
  )
}

/** Shows a team as a list in which the agents that an agent calls are indented below it. */
function GraphList(props: GraphProps): ReactElement {
  const { agents, figures } = props
  const byName = new Map(agents.map((agent) => [agent.name, agent]))
  return (
    <ul aria-label="Who calls whom" className="flex flex-col gap-2">
      {treeRows(agents).map(({ name, depth, from, isRepeated }, index) => {
        const agent = byName.get(name)
        const call = from === undefined ? undefined : figures.call(from, name)
        return (
          <li
            key={index}
            className={depth === 0 ? undefined : 'border-l-2 border-line pl-3'}
            style={{ marginLeft: Math.min(Math.max(0, depth - 1), MAX_INDENT) * 14 }}
          >
            {from === undefined ? null : (
              <p className="pb-0.5 text-tiny text-muted tabular">
                {call === undefined ? NO_BREAK_SPACE : callText(call)}
              </p>
            )}
            {agent === undefined || isRepeated ? (
              <p className="rounded-lg border border-dashed border-line px-3 py-2 text-small text-muted">
                {isRepeated ? `${name}, as above` : name}
              </p>
            ) : (
              <AgentBox {...props} agent={agent} />
            )}
          </li>
        )
      })}
    </ul>
  )
}

const MAX_INDENT = 6
/** Keeps the place of the calls per run while they are loaded. */
const NO_BREAK_SPACE = '\u00A0'

/** Shows an agent with its model, tools, problems and figures, as a link to its page. */
function AgentBox({
  agent,
  figures,
  heatBy = 'none',
  active,
  selected,
}: GraphProps & { readonly agent: Agent }): ReactElement {
  const { name, models, problems } = agent
  const isSelected = name === selected
  const isActive = active?.has(name) === true
  const errors = problems.filter(({ severity }) => severity === 'error').length
  const marks = toolMarks(agent)
  const asks = agent.tools.some(({ permission }) => permission === 'ask')
  const heat = figures.heat(name, heatBy)
  return (
    <a
      href={hrefOf({ page: 'agent', agent: name })}
      aria-current={isSelected ? 'page' : undefined}
      title={agent.description}
      className={classNames(
        'flex h-full flex-col justify-between gap-0.5 rounded-lg border bg-panel px-2.5 py-2 hover:border-strong-line',
        isSelected ? 'border-accent' : isActive ? 'border-good' : 'border-line',
        isActive && 'ring-2 ring-good/30',
      )}
      style={
        heat === 0
          ? undefined
          : {
              backgroundColor: `color-mix(in oklab, var(--warn) ${Math.round(heat * MAX_HEAT)}%, var(--panel))`,
            }
      }
    >
      <span className="flex items-center gap-1.5">
        {isActive ? (
          <span className="size-2 shrink-0 rounded-full bg-good motion-safe:animate-pulse" title="running">
            <span className="sr-only">running, </span>
          </span>
        ) : null}
        <span
          className={classNames('truncate text-small font-semibold', isSelected && 'text-accent')}
          dir="auto"
        >
          {name}
        </span>
        {agent.entry ? <span className="shrink-0 text-tiny text-accent">entry</span> : null}
        {problems.length === 0 ? null : (
          <span
            className={classNames(
              'ml-auto flex shrink-0 items-center gap-0.5 text-tiny font-medium',
              errors > 0 ? 'text-bad' : 'text-warn',
            )}
          >
            <TriangleAlert aria-hidden="true" className="size-3" />
            {problems.length}
            <span className="sr-only"> {problems.length === 1 ? 'problem' : 'problems'}</span>
          </span>
        )}
      </span>
      <span className="truncate font-mono text-tiny text-muted">{models[0] ?? agent.type}</span>
      <span className="flex items-center gap-1 truncate text-tiny text-muted">
        {asks ? <ShieldQuestion aria-hidden="true" className="size-3 shrink-0 text-warn" /> : null}
        <span className="truncate">{[toolsText(agent), ...marks].join(' · ')}</span>
      </span>
      <AgentFigures stats={figures.agent(name)} />
    </a>
  )
}

/** Maximum share of the colour of the highest value, in percent. Texts stay readable on it. */
const MAX_HEAT = 28

function callText(call: {
  readonly perRun: number
  readonly calls: number
  readonly failures: number
}): string {
  const perRun = `× ${Number(call.perRun.toPrecision(2))}`
  const failed = failureShare({ calls: call.calls, failures: call.failures })
  return failed === '' ? perRun : `${perRun}, ${failed} failed`
}

/** Draws a call as a line, with the number of calls per run. */
function CallLine({
  edge,
  layout,
  figures,
}: {
  readonly edge: GraphEdge
  readonly layout: GraphLayout
  readonly figures: TeamFigures
}): ReactElement {
  const call = figures.call(edge.from, edge.to)
  const end = layout.nodes.find(({ name }) => name === edge.to)
  const { x, y } = nodePosition(end ?? { column: 0, row: 0 })
  return (
    <>
      <path
        d={edgePath(edge, layout)}
        fill="none"
        className={edge.isBack ? 'stroke-warn' : 'stroke-strong-line'}
        strokeWidth={1.5}
        strokeDasharray={edge.isBack ? '4 3' : undefined}
      />
      {call === undefined || edge.isBack ? null : (
        <text
          x={x - 8}
          y={y + HEIGHT / 2 - 6}
          textAnchor="end"
          paintOrder="stroke"
          strokeWidth={4}
          className={classNames(
            'stroke-page text-tiny tabular',
            call.failures > 0 ? 'fill-bad' : 'fill-muted',
          )}
        >
          {callText(call)}
        </text>
      )}
    </>
  )
}

function nodePosition({ column, row }: Pick<GraphNode, 'column' | 'row'>): {
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
  const bend = isBack ? GAP_X / 2 : (x2 - x1) / 2
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${isBack ? x2 + bend : x2 - bend} ${y2} ${x2} ${y2}`
}
