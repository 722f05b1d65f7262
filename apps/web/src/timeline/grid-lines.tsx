import type { ReactElement } from 'react'
import { ticksOf } from './ticks.ts'

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
