import { formatDuration } from '@troupe/timeline'
import type { ReactElement } from 'react'
import type { AxisTick, TimeScale } from '../waterfall/time-scale.ts'

/** Space that a label needs, in px. Ticks with less space before the end have none. */
const LABEL_PX = 48

/** Shows the labels of the time axis, and a mark for each folded wait. */
export function Axis({
  ticks,
  scale,
}: {
  readonly ticks: readonly AxisTick[]
  readonly scale: TimeScale
}): ReactElement {
  return (
    <div aria-hidden="true" data-axis="" className="relative h-6 overflow-x-clip">
      {ticks.map(({ x, label }) => (
        <span
          key={x}
          className="absolute bottom-1 pl-1 text-tiny whitespace-nowrap text-muted tabular"
          style={{ left: x }}
        >
          {x + LABEL_PX <= scale.width ? label : null}
        </span>
      ))}
      {scale.map.gaps.map(({ from, to }) => (
        <span
          key={from}
          title={`${formatDuration(to - from)} without activity`}
          className="absolute -top-0.5 text-center text-tiny text-muted"
          style={{ left: scale.toX(from), width: scale.toX(to) - scale.toX(from) }}
        >
          ⋯
        </span>
      ))}
    </div>
  )
}

/** Draws lines at the ticks and shades the folded waits, behind all rows. */
export function Grid({
  ticks,
  scale,
}: {
  readonly ticks: readonly AxisTick[]
  readonly scale: TimeScale
}): ReactElement {
  return (
    <>
      {ticks.map(({ x }) => (
        <span key={x} aria-hidden="true" className="absolute inset-y-0 w-px bg-line/70" style={{ left: x }} />
      ))}
      {scale.map.gaps.map(({ from, to }) => (
        <span
          key={from}
          aria-hidden="true"
          className="absolute inset-y-0 border-x border-dashed border-strong-line/50 bg-raised"
          style={{ left: scale.toX(from), width: scale.toX(to) - scale.toX(from) }}
        />
      ))}
    </>
  )
}

/** Marks the folded waits in the bar of a row, for layouts without an axis. */
export function FoldMarks({ scale }: { readonly scale: TimeScale }): ReactElement {
  return (
    <>
      {scale.map.gaps.map(({ from, to }) => {
        const left = (scale.toX(from) + scale.toX(to)) / 2
        return left < 0 || left > scale.width ? null : (
          <span
            key={from}
            aria-hidden="true"
            title={`${formatDuration(to - from)} without activity`}
            className="absolute inset-y-[3px] w-[5px] -translate-x-1/2 -skew-x-[20deg] border-x border-muted bg-panel"
            style={{ left }}
          />
        )
      })}
    </>
  )
}
