import type { Segment, SegmentKind, SegmentTone } from './segment.ts'
import type { TimeScale } from './time-scale.ts'

/** A segment of a bar as it is drawn, in px. */
export interface DrawnSegment {
  readonly kind: SegmentKind
  readonly tone: SegmentTone | undefined
  readonly x: number
  readonly width: number
}

const MIN_WIDTH = 2

/**
 * Returns the segments that have ended, as they are drawn. Those outside of the visible period are left out,
 * and those of the same kind that are closer than a pixel become one, so that a run of a thousand calls has a
 * bar of few parts.
 */
export function drawSegments(segments: readonly Segment[], scale: TimeScale): readonly DrawnSegment[] {
  const drawn: { kind: SegmentKind; tone: SegmentTone | undefined; x: number; width: number }[] = []
  const lasts = new Map<string, (typeof drawn)[number]>()
  for (const { kind, tone, from, to } of segments) {
    if (to === undefined || (kind === 'queue' && to === from)) continue
    const start = Math.max(-MIN_WIDTH, scale.toX(from))
    const end = Math.min(scale.width, Math.max(scale.toX(to), start + MIN_WIDTH))
    if (end <= 0 || start >= scale.width) continue
    const name = `${kind} ${tone}`
    const last = lasts.get(name)
    if (last !== undefined && start >= last.x && start - (last.x + last.width) < 1)
      last.width = Math.max(last.width, end - last.x)
    else {
      const next = { kind, tone, x: start, width: end - start }
      lasts.set(name, next)
      drawn.push(next)
    }
  }
  return drawn
}
