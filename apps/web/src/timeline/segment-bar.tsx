import type { ReactElement } from 'react'
import { classNames } from '../ui/class-names.ts'
import type { Segment, SegmentKind, SegmentTone } from './waterfall.ts'

/** The period that the time axis covers, in ms since 1970. */
export interface Extent {
  readonly from: number
  readonly to: number
}

const SEGMENT_CLASSES: Readonly<Record<SegmentKind, string>> = {
  run: 'inset-y-[7px] bg-accent/20',
  model: 'inset-y-[7px] bg-accent',
  tool: 'inset-y-[9px] bg-muted/70',
  queue: 'top-1/2 h-px bg-strong-line',
  wait: 'inset-y-[7px] bg-warn/70',
}

const TONE_CLASSES: Readonly<Record<SegmentTone, Readonly<Partial<Record<SegmentKind, string>>>>> = {
  failed: {
    run: 'inset-y-[7px] bg-bad/25',
    model: 'inset-y-[7px] bg-bad',
    tool: 'inset-y-[9px] bg-bad',
  },
  cancelled: {
    run: 'inset-y-[7px] bg-muted/20',
    model: 'inset-y-[7px] bg-muted/70',
  },
}

/**
 * Draws the segments of one row on the time axis. Hidden from screen readers, as the same facts are available
 * as text.
 */
export function SegmentBar({
  segments,
  extent,
}: {
  readonly segments: readonly Segment[]
  readonly extent: Extent
}): ReactElement {
  const whole = Math.max(1, extent.to - extent.from)
  return (
    <div aria-hidden="true" className="absolute inset-0">
      {segments.map(({ kind, from, to, tone }, index) => (
        <span
          key={index}
          className={classNames(
            'absolute min-w-[2px] rounded-[3px]',
            (tone === undefined ? undefined : TONE_CLASSES[tone][kind]) ?? SEGMENT_CLASSES[kind],
          )}
          style={{
            left: `${(100 * (from - extent.from)) / whole}%`,
            width: `${(100 * Math.max(0, to - from)) / whole}%`,
          }}
        />
      ))}
    </div>
  )
}
