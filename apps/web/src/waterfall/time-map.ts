/** A period in ms since 1970. */
export interface TimePeriod {
  readonly from: number
  readonly to: number
}

/**
 * Maps times to positions on an axis on which waits are folded. Both functions are monotonic, and each is the
 * inverse of the other.
 */
export interface TimeMap extends TimePeriod {
  /** The folded periods, in order. */
  readonly gaps: readonly TimePeriod[]
  /** The length of the axis, in ms that are not folded. */
  readonly length: number
  /** Returns the position of a time, in ms from the start of the axis. */
  toCompressed(time: number): number
  toReal(position: number): number
}

/** Width of a folded wait, in px. */
const GAP_PX = 28
/** Space after a bar for its label, in px. */
const LABEL_PX = 48
/** The shortest wait that is folded, as a part of the axis. */
const MIN_GAP = 0.05
/** Size of the longest wait, as a part of the axis, from which waits are folded by default. */
const LONG_GAP = 0.5

/** Creates the map of a period without the gaps, for an axis of this `width` in px. */
export function createTimeMap(period: TimePeriod, gaps: readonly TimePeriod[], width: number): TimeMap {
  const total = Math.max(1, period.to - period.from)
  const active = total - gaps.reduce((sum, { from, to }) => sum + to - from, 0)
  if (gaps.length === 0 || active <= 0) return plainMap(period)
  const ratio = Math.min(GAP_PX / Math.max(1, width), 1 / (gaps.length + 1))
  const length = active / (1 - gaps.length * ratio)
  const knots = knotsOf(period, gaps, ratio * length)
  return {
    ...period,
    gaps,
    length,
    toCompressed: (time) => interpolate(knots, time - period.from, 0),
    toReal: (position) => period.from + interpolate(knots, position, 1),
  }
}

function plainMap(period: TimePeriod): TimeMap {
  return {
    ...period,
    gaps: [],
    length: Math.max(1, period.to - period.from),
    toCompressed: (time) => time - period.from,
    toReal: (position) => period.from + position,
  }
}

/** A time from the start, and its position. */
type Knot = readonly [time: number, position: number]

/** Returns the edges of the gaps. */
function knotsOf(
  { from: start }: TimePeriod,
  gaps: readonly TimePeriod[],
  gapLength: number,
): readonly Knot[] {
  const knots: Knot[] = []
  let time = 0
  let position = 0
  for (const { from, to } of gaps) {
    position += from - start - time
    knots.push([from - start, position])
    time = to - start
    position += gapLength
    knots.push([time, position])
  }
  return knots
}

/** Maps a value from one column of the knots to the other. Outside of them and between gaps the slope is 1. */
function interpolate(knots: readonly Knot[], value: number, column: 0 | 1): number {
  const other = column === 0 ? 1 : 0
  const index = knots.findIndex((knot) => knot[column] >= value)
  const after = knots.at(index === -1 ? knots.length - 1 : index) ?? [0, 0]
  const before = index > 0 ? knots[index - 1] : undefined
  if (index === -1 || before === undefined) return after[other] + (value - after[column])
  const share = (value - before[column]) / (after[column] - before[column])
  return before[other] + share * (after[other] - before[other])
}

/**
 * Returns the waits of an axis that can be folded: each of at least a twentieth of the axis in which nothing
 * of `active` happened. The label after a bar stays outside.
 */
export function findGaps(
  active: readonly TimePeriod[],
  period: TimePeriod,
  width: number,
): readonly TimePeriod[] {
  const merged = mergePeriods(active, period)
  if (merged.length === 0) return []
  const plain = gapsBetween(merged, period, (LABEL_PX * (period.to - period.from)) / Math.max(1, width))
  // A label is worth less time once the gaps are folded, so that narrow axes fold too.
  const { length } = createTimeMap(period, gapsBetween(merged, period, 0), width)
  const folded = gapsBetween(merged, period, (LABEL_PX * length) / Math.max(1, width))
  return folded.length >= plain.length ? folded : plain
}

/** Returns true if waits are folded by default: one takes more than half of the axis. */
export function isFoldedByDefault(gaps: readonly TimePeriod[], { from, to }: TimePeriod): boolean {
  return gaps.some((gap) => gap.to - gap.from > LONG_GAP * (to - from))
}

function gapsBetween(merged: readonly TimePeriod[], { from, to }: TimePeriod, labelMs: number): TimePeriod[] {
  const gaps: TimePeriod[] = []
  let end = from
  for (const next of [...merged, { from: to, to }]) {
    if (next.from - end >= MIN_GAP * (to - from)) gaps.push({ from: end, to: next.from })
    end = Math.max(end, Math.min(to, next.to + labelMs))
  }
  return gaps
}

/** Returns the union of the periods inside the axis, in order. */
function mergePeriods(
  periods: readonly TimePeriod[],
  { from: start, to: end }: TimePeriod,
): readonly TimePeriod[] {
  const merged: { from: number; to: number }[] = []
  for (const { from, to } of periods.toSorted((a, b) => a.from - b.from)) {
    if (to < start || from > end) continue
    const last = merged.at(-1)
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, Math.min(end, to))
    else merged.push({ from: Math.max(start, from), to: Math.min(end, to) })
  }
  return merged
}
