import { formatDuration } from '@troupe/timeline'
import type { ReactElement } from 'react'

const STEPS = [1, 2, 5]
const WANTED = 6

/** Shows the labels of the time axis. */
export function Axis({ durationMs }: { readonly durationMs: number }): ReactElement {
  return (
    <div aria-hidden="true" className="relative h-7">
      {ticksOf(durationMs).map((tick) => (
        <span
          key={tick}
          className="absolute bottom-1.5 pl-1 text-tiny whitespace-nowrap text-muted tabular"
          style={{ left: `${(100 * tick) / Math.max(1, durationMs)}%` }}
        >
          {tick / durationMs > 0.85 ? '' : formatDuration(tick)}
        </span>
      ))}
    </div>
  )
}

/** Returns the ticks of a time axis, in ms from its start: about six, at round times. */
export function ticksOf(durationMs: number): readonly number[] {
  const step = roundStep(durationMs / WANTED)
  const ticks: number[] = []
  for (let at = 0; at <= durationMs; at += step) ticks.push(at)
  return ticks
}

function roundStep(rough: number): number {
  let scale = 1
  while (10 * scale < rough) scale *= 10
  return (STEPS.find((step) => step * scale >= rough) ?? 10) * scale
}

/** Draws thin lines at the ticks of the axis, behind the bars of one row. */
export function GridLines({ durationMs }: { readonly durationMs: number }): ReactElement {
  return (
    <>
      {ticksOf(durationMs).map((tick) => (
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
