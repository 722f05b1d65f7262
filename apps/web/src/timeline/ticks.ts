const STEPS = [1, 2, 5]
const WANTED = 6

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
