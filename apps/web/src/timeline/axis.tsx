import { formatDuration } from '@troupe/timeline'
import type { ReactElement } from 'react'

const STEPS = [1, 2, 5]
const MAX_STEPS = 6
/** Space after the axis that a label may use, in px. */
const MARGIN_PX = 16

/** Shows the labels of the ticks, except at the end of the axis, where they would not fit. */
export function Axis({
  ticks,
  durationMs,
  width = Infinity,
}: {
  readonly ticks: readonly number[]
  readonly durationMs: number
  /** In px. */
  readonly width?: number | undefined
}): ReactElement {
  const lastLabel = durationMs * Math.min(0.85, 1 - (labelWidth(durationMs) - MARGIN_PX) / width)
  return (
    <div aria-hidden="true" className="relative h-7">
      {ticks.map((tick) => (
        <span
          key={tick}
          className="absolute bottom-1.5 pl-1 text-tiny whitespace-nowrap text-muted tabular"
          style={{ left: `${(100 * tick) / Math.max(1, durationMs)}%` }}
        >
          {tick === 0 || tick <= lastLabel ? formatDuration(tick) : ''}
        </span>
      ))}
    </div>
  )
}

/**
 * Returns the ticks of a time axis, in ms from its start: about six, at round times. Fewer if their labels need
 * more than the `width` in px.
 */
export function ticksOf(durationMs: number, width = Infinity): readonly number[] {
  const steps = Math.max(1, Math.min(MAX_STEPS, Math.floor(width / labelWidth(durationMs))))
  const step = roundStep(durationMs / steps)
  const ticks: number[] = []
  for (let at = 0; at <= durationMs; at += step) ticks.push(at)
  return ticks
}

/** Returns the space in px that labels such as `500 ms` need, or such as `1 m 30 s` from a minute on. */
function labelWidth(durationMs: number): number {
  return durationMs < 60_000 ? 44 : 60
}

function roundStep(rough: number): number {
  let scale = 1
  while (10 * scale < rough) scale *= 10
  return (STEPS.find((step) => step * scale >= rough) ?? 10) * scale
}

/** Draws thin lines at the ticks of the axis, behind the bars of one row. */
export function GridLines({
  ticks,
  durationMs,
}: {
  readonly ticks: readonly number[]
  readonly durationMs: number
}): ReactElement {
  return (
    <>
      {ticks.map((tick) => (
        <span
          key={tick}
          aria-hidden="true"
          className="absolute inset-y-0 w-px bg-line/70"
          style={{ left: `${(100 * tick) / Math.max(1, durationMs)}%` }}
        />
      ))}
    </>
  )
}
