import { formatDuration } from '@troupe/timeline'
import type { ReactElement } from 'react'
import { ticksOf } from './ticks.ts'

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
