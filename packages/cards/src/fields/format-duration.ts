const UNITS: readonly (readonly [string, number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
]

/** Formats a duration as an author would write it: `5m`, `90s`, or a number of ms if no unit fits. */
export function formatDuration(milliseconds: number): string | number {
  const unit = UNITS.find(([, size]) => milliseconds >= size && milliseconds % size === 0)
  return unit === undefined ? milliseconds : `${milliseconds / unit[1]}${unit[0]}`
}
