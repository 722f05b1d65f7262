import type { TimeScale } from './time-scale.ts'
import type { WaterfallTree } from './timeline-node.ts'

/** The activity in one column of the minimap. */
export interface DensityColumn {
  /** Number of models and tools that were active. */
  readonly active: number
  readonly isWaiting: boolean
  readonly hasError: boolean
}

/** Returns the activity in each pixel of an axis. Rows that continue end at `end`. */
export function densityOf({ nodes }: WaterfallTree, scale: TimeScale, end: number): readonly DensityColumn[] {
  const width = Math.max(1, Math.round(scale.width))
  const changes = new Int32Array(width + 1)
  const waits = new Int32Array(width + 1)
  const errors = new Uint8Array(width)
  const column = (time: number): number => Math.max(0, Math.min(width - 1, Math.floor(scale.toX(time))))
  for (const { node } of nodes.values()) {
    if (node.kind === 'group') continue
    for (const { kind, from, to = end, tone } of node.segments) {
      if (tone === 'failed') errors[column(to)] = 1
      if (kind !== 'model' && kind !== 'tool' && kind !== 'wait') continue
      const counts = kind === 'wait' ? waits : changes
      const first = column(from)
      const last = column(to) + 1
      counts[first] = (counts[first] ?? 0) + 1
      counts[last] = (counts[last] ?? 0) - 1
    }
  }
  let active = 0
  let waiting = 0
  return Array.from({ length: width }, (_, x) => {
    active += changes[x] ?? 0
    waiting += waits[x] ?? 0
    return { active, isWaiting: waiting > 0, hasError: errors[x] === 1 }
  })
}
