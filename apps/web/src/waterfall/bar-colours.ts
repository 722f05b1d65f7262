import type { TimelineNode, WaterfallTree } from './timeline-node.ts'

/** The fact that the colour of a bar shows. */
export type ColourMode = 'kind' | 'cost' | 'time' | 'agent'

/** The modes with their names, in order. */
export const COLOUR_MODES: readonly (readonly [mode: ColourMode, label: string])[] = [
  ['kind', 'Kind'],
  ['cost', 'Cost'],
  ['time', 'Time'],
  ['agent', 'Agent'],
]

/** Colours from little to much. */
const HEAT = [
  'light-dark(oklch(0.66 0.05 250), oklch(0.48 0.04 250))',
  'light-dark(oklch(0.66 0.1 190), oklch(0.58 0.08 190))',
  'light-dark(oklch(0.65 0.13 110), oklch(0.7 0.12 110))',
  'light-dark(oklch(0.62 0.16 60), oklch(0.76 0.15 65))',
  'light-dark(oklch(0.53 0.21 25), oklch(0.72 0.19 25))',
] as const

/** Degrees between the hues of two agents, so that many agents get different hues. */
const HUE_STEP = 137.5

/** Returns a function that returns the colour of a row; `undefined` for the colour of its kind. */
export function barColours(
  tree: WaterfallTree,
  mode: ColourMode,
): (node: TimelineNode) => string | undefined {
  switch (mode) {
    case 'kind':
      return () => undefined
    case 'agent':
      return agentColours(tree)
    case 'cost':
      return heatColours(tree, ownCost)
    default:
      return heatColours(tree, (node) => (node.to ?? node.from) - node.from)
  }
}

function agentColours({ nodes }: WaterfallTree): (node: TimelineNode) => string | undefined {
  const hues = new Map<string, number>()
  for (const { node } of nodes.values())
    if (node.kind === 'run' && !hues.has(node.name)) hues.set(node.name, 264 + HUE_STEP * hues.size)
  return (node) => {
    const hue = hues.get(node.kind === 'call' ? node.run.agent : node.name)
    if (hue === undefined) return undefined
    const degrees = Math.round(hue % 360)
    return `light-dark(oklch(0.58 0.15 ${degrees}), oklch(0.74 0.12 ${degrees}))`
  }
}

/** Returns the cost of a run without its child runs, in millionths of a dollar. */
function ownCost(node: TimelineNode): number {
  return node.kind === 'run' ? node.run.usage.micros : 0
}

/** Colours rows by their share of the largest value. A root is compared with itself, as it contains the others. */
function heatColours(
  { nodes, roots }: WaterfallTree,
  valueOf: (node: TimelineNode) => number,
): (node: TimelineNode) => string | undefined {
  const isRoot = new Set<string>(roots.map(({ key }) => key))
  let most = 0
  for (const { node } of nodes.values())
    if (node.kind !== 'group' && !isRoot.has(node.key)) most = Math.max(most, valueOf(node))
  return (node) => {
    const value = node.kind === 'group' ? Math.max(...node.children.map(valueOf)) : valueOf(node)
    const share = most === 0 ? 0 : Math.min(1, value / most)
    return HEAT[Math.min(HEAT.length - 1, Math.floor(share * HEAT.length))]
  }
}
