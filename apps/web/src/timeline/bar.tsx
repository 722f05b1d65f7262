import { formatDuration } from '@troupe/timeline'
import { useLayoutEffect, useRef, type ReactElement } from 'react'
import { classNames } from '../ui/class-names.ts'
import { drawSegments } from '../waterfall/bar-pixels.ts'
import type { PathPiece } from '../waterfall/critical-path.ts'
import type { Segment, SegmentKind, SegmentTone } from '../waterfall/segment.ts'
import type { TimeScale } from '../waterfall/time-scale.ts'
import type { TimelineClock } from './clock.ts'

const SEGMENT_CLASSES: Readonly<Record<SegmentKind, string>> = {
  run: 'inset-y-[6px] bg-accent/20',
  model: 'inset-y-[6px] bg-accent',
  tool: 'inset-y-[8px] bg-muted/70',
  queue: 'top-1/2 h-px bg-strong-line',
  wait: 'inset-y-[6px] bg-warn/70',
}

const TONE_CLASSES: Readonly<Record<SegmentTone, Readonly<Partial<Record<SegmentKind, string>>>>> = {
  failed: {
    run: 'inset-y-[6px] bg-bad/25',
    model: 'inset-y-[6px] bg-bad',
    tool: 'inset-y-[8px] bg-bad',
  },
  cancelled: {
    run: 'inset-y-[6px] bg-muted/20',
    model: 'inset-y-[6px] bg-muted/70',
  },
}

/** Segments that a colour other than that of their kind applies to. */
const COLOURED: ReadonlySet<SegmentKind> = new Set(['run', 'model', 'tool'])

/** Props of the bar of a row. */
interface BarProps {
  readonly segments: readonly Segment[]
  readonly scale: TimeScale
  readonly clock: TimelineClock
  /** `undefined` for the colours of the segments' kinds. */
  readonly colour: string | undefined
  /** The pieces of the critical path in this row. */
  readonly path: readonly PathPiece[] | undefined
}

/** Draws a row on the time axis. Hidden from screen readers, as the same facts are available as text. */
export function Bar({ segments, scale, clock, colour, path }: BarProps): ReactElement {
  return (
    <div aria-hidden="true" className="absolute inset-0">
      {drawSegments(segments, scale).map(({ kind, tone, x, width }, index) => (
        <span
          key={index}
          className={classNames('absolute rounded-[3px]', segmentClasses(kind, tone))}
          style={{ left: Math.max(0, x), width: width + Math.min(0, x), ...colourStyle(kind, colour) }}
        />
      ))}
      {segments.map(({ kind, tone, from, to }) =>
        to === undefined ? (
          <LiveSegment
            key={`${kind} ${from}`}
            from={from}
            scale={scale}
            clock={clock}
            className={segmentClasses(kind, tone)}
            style={colourStyle(kind, colour)}
          />
        ) : null,
      )}
      {path?.map(({ from, to }) => {
        const left = Math.max(0, scale.toX(from))
        const right = Math.min(scale.width, Math.max(left + 2, scale.toX(to)))
        return left >= scale.width || scale.toX(to) < 0 ? null : (
          <span
            key={from}
            className="absolute bottom-px h-[3px] bg-ink"
            style={{ left, width: right - left }}
          />
        )
      })}
    </div>
  )
}

function segmentClasses(kind: SegmentKind, tone: SegmentTone | undefined): string {
  return (tone === undefined ? undefined : TONE_CLASSES[tone][kind]) ?? SEGMENT_CLASSES[kind]
}

function colourStyle(kind: SegmentKind, colour: string | undefined): { readonly backgroundColor?: string } {
  if (colour === undefined || !COLOURED.has(kind)) return {}
  return { backgroundColor: kind === 'run' ? `color-mix(in oklch, ${colour} 35%, transparent)` : colour }
}

/** Draws a segment that ends now. Each tick writes its style, so that React renders nothing. */
function LiveSegment({
  from,
  scale,
  clock,
  className,
  style,
}: {
  readonly from: number
  readonly scale: TimeScale
  readonly clock: TimelineClock
  readonly className: string
  readonly style: { readonly backgroundColor?: string }
}): ReactElement {
  const element = useRef<HTMLSpanElement>(null)
  useLayoutEffect(() => {
    const write = (): void => {
      const { current } = element
      if (current === null) return
      const start = Math.max(0, scale.toX(from))
      const end = Math.min(scale.width, Math.max(start + 2, scale.toX(clock.now())))
      current.style.transform = `translateX(${start}px) scaleX(${Math.max(0, end - start) / Math.max(1, scale.width)})`
    }
    write()
    return clock.subscribe(write)
  }, [from, scale, clock])
  return (
    <span
      ref={element}
      className={classNames('absolute left-0 origin-left', className)}
      style={{ width: scale.width, ...style }}
    />
  )
}

/** Space that the label of a duration needs, in px. */
const LABEL_PX = 64

/**
 * Shows the duration of a row after its bar, or before the bar if there is not enough space. Without space on both sides
 * it cannot be seen, but screen readers still read it.
 */
export function BarLabel({
  from,
  to,
  scale,
  clock,
}: {
  readonly from: number
  readonly to: number | undefined
  readonly scale: TimeScale
  readonly clock: TimelineClock
}): ReactElement {
  const element = useRef<HTMLSpanElement>(null)
  useLayoutEffect(() => {
    const write = (): void => {
      const { current } = element
      if (current === null) return
      const end = to ?? clock.now()
      const text = formatDuration(Math.max(0, end - from))
      if (current.textContent !== text) current.textContent = text
      const x = labelX(scale, from, end)
      current.style.opacity = x === undefined ? '0' : '1'
      current.style.left = x !== undefined && x >= 0 ? `${x}px` : ''
      current.style.right = x !== undefined && x < 0 ? `${scale.width + x}px` : ''
    }
    write()
    return to === undefined ? clock.subscribe(write) : undefined
  }, [from, to, scale, clock])
  return (
    <span
      ref={element}
      className="absolute top-1/2 -mt-2 px-1.5 text-tiny whitespace-nowrap text-muted tabular"
    />
  )
}

/** Returns where the label starts; negative if it ends there; `undefined` if there is no space. */
function labelX(scale: TimeScale, from: number, end: number): number | undefined {
  const right = Math.max(0, scale.toX(end))
  if (right + LABEL_PX <= scale.width) return right
  const left = scale.toX(from)
  return left >= LABEL_PX ? -Math.min(left, scale.width) : undefined
}

/** Shows the duration of a row as text, which counts while the row continues. */
export function DurationText({
  from,
  to,
  clock,
  className,
}: {
  readonly from: number
  readonly to: number | undefined
  readonly clock: TimelineClock
  readonly className?: string
}): ReactElement {
  const element = useRef<HTMLSpanElement>(null)
  useLayoutEffect(() => {
    const write = (): void => {
      const text = formatDuration(Math.max(0, (to ?? clock.now()) - from))
      if (element.current !== null && element.current.textContent !== text) element.current.textContent = text
    }
    write()
    return to === undefined ? clock.subscribe(write) : undefined
  }, [from, to, clock])
  return <span ref={element} className={className} />
}
