import type { TimeMap, TimePeriod } from './time-map.ts'

/** The visible part of an axis, drawn over a width in px. */
export interface TimeScale {
  readonly map: TimeMap
  /** The visible period, in ms since 1970. */
  readonly visible: TimePeriod
  readonly width: number
  /** Width of one ms that is not folded, in px. */
  readonly pxPerMs: number
  toX(time: number): number
  toTime(x: number): number
}

/** The shortest period that can be shown, in ms. */
const MIN_VISIBLE = 5

/** Creates the scale of the visible period; of the whole axis if `undefined`. */
export function createTimeScale(map: TimeMap, visible: TimePeriod | undefined, width: number): TimeScale {
  const shown = visible ?? { from: map.from, to: map.to }
  const start = map.toCompressed(shown.from)
  const length = Math.max(1e-6, map.toCompressed(shown.to) - start)
  const pxPerMs = width / length
  return {
    map,
    visible: shown,
    width,
    pxPerMs,
    toX: (time) => (map.toCompressed(time) - start) * pxPerMs,
    toTime: (x) => map.toReal(start + x / pxPerMs),
  }
}

/** Returns the visible period after zooming in (`factor` > 1) or out, with the time at `x` staying in place. */
export function zoom(
  { map, visible, width, toTime }: TimeScale,
  factor: number,
  x: number,
): TimePeriod | undefined {
  const start = map.toCompressed(visible.from)
  const length = map.toCompressed(visible.to) - start
  const next = Math.max(MIN_VISIBLE, length / factor)
  if (next >= map.length) return undefined
  return clampVisible(map, map.toCompressed(toTime(x)) - (x / Math.max(1, width)) * next, next)
}

/** Returns the visible period after moving it by a part of its length, to the right if positive. */
export function pan({ map, visible }: TimeScale, part: number): TimePeriod {
  const start = map.toCompressed(visible.from)
  const length = map.toCompressed(visible.to) - start
  return clampVisible(map, start + part * length, length)
}

/** Returns the visible period that fits a period with some space around it. */
export function fit(map: TimeMap, { from, to }: TimePeriod): TimePeriod | undefined {
  const start = map.toCompressed(from)
  const end = map.toCompressed(to)
  const length = Math.max(MIN_VISIBLE, (end - start) * 1.2)
  return length >= map.length ? undefined : clampVisible(map, (start + end - length) / 2, length)
}

/** Keeps the period inside the axis: its length stays, its start moves. */
function clampVisible(map: TimeMap, start: number, length: number): TimePeriod {
  const from = Math.max(0, Math.min(map.length - length, start))
  return { from: map.toReal(from), to: map.toReal(from + length) }
}

const GROWTH = 1.25
const FIRST_LENGTH = 1000

/** Returns the end of the axis of an active run. It grows in steps, so that bars keep their places in between. */
export function steppedEnd(from: number, now: number): number {
  let length = FIRST_LENGTH
  while (from + length <= now) length *= GROWTH
  return from + length
}

/** A labelled line on the axis. */
export interface AxisTick {
  /** In px from the start. */
  readonly x: number
  readonly label: string
}

const STEPS = [1, 2, 5]
const MAX_STEPS = 8

/**
 * Returns the ticks of the visible period, at round times from the start of the axis and at both edges of each
 * folded wait. Labels do not overlap, and do not reach beyond the axis.
 */
export function axisTicks({ map, visible, width, pxPerMs, toX }: TimeScale): readonly AxisTick[] {
  const visibleMs = width / pxPerMs
  const labelPx = labelWidth(visible.to - map.from)
  const step = roundStep(visibleMs / Math.max(1, Math.min(MAX_STEPS, Math.floor(width / labelPx))))
  const ticks: AxisTick[] = []
  const add = (time: number): void => {
    const x = toX(time)
    if (x < -0.5 || x + labelPx - LABEL_PADDING_PX > width + MARGIN_PX) return
    if (ticks.some((tick) => Math.abs(tick.x - x) < labelPx)) return
    ticks.push({ x, label: tickLabel(time - map.from, step) })
  }
  add(visible.from <= map.from ? map.from : Math.ceil((visible.from - map.from) / step) * step + map.from)
  for (const gap of map.gaps) {
    add(gap.to)
    add(gap.from)
  }
  const last = visible.to - map.from
  for (let at = Math.ceil((visible.from - map.from) / step) * step; at <= last; at = nextTick(map, at, step))
    add(map.from + at)
  return ticks.toSorted((a, b) => a.x - b.x)
}

/** Space after the axis that a label may use, and the space inside its width, in px. */
const MARGIN_PX = 16
const LABEL_PADDING_PX = 4

/** Returns the next round time that is not folded. */
function nextTick({ from, gaps }: TimeMap, at: number, step: number): number {
  const next = at + step
  const gap = gaps.find((candidate) => candidate.from - from < next && next < candidate.to - from)
  return gap === undefined ? next : Math.ceil((gap.to - from) / step) * step
}

/** Returns the space in px that labels such as `500 ms` need, or such as `1 m 30 s` from a minute on. */
function labelWidth(durationMs: number): number {
  return durationMs < 60_000 ? 44 : 64
}

function roundStep(rough: number): number {
  let scale = 1
  while (10 * scale < rough) scale *= 10
  return (STEPS.find((step) => step * scale >= rough) ?? 10) * scale
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Formats the time of a tick with as many decimals as the step between ticks needs. */
function tickLabel(ms: number, step: number): string {
  if (ms < SECOND) return `${Math.round(ms)} ms`
  const decimals = step >= SECOND ? 0 : step >= 100 ? 1 : step >= 10 ? 2 : 3
  if (ms < MINUTE) return `${trimZeros((ms / SECOND).toFixed(Math.max(1, decimals)))} s`
  if (ms < HOUR) {
    const seconds = ((ms % MINUTE) / SECOND).toFixed(decimals)
    return `${Math.floor(ms / MINUTE)} m ${seconds.padStart(decimals === 0 ? 2 : 3 + decimals, '0')} s`
  }
  return `${Math.floor(ms / HOUR)} h ${`${Math.floor((ms % HOUR) / MINUTE)}`.padStart(2, '0')} m`
}

function trimZeros(text: string): string {
  return text.replace(/\.?0+$/u, '')
}
