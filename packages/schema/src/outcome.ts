/** Outcomes of runs and tool calls. Each ends with exactly one. */
export const OUTCOMES = [
  'completed',
  'partial',
  'failed',
  'timeout',
  'budget',
  'cancelled',
  'denied',
] as const

/** See {@link OUTCOMES}. `partial` has an answer that was cut short by a limit. */
export type Outcome = (typeof OUTCOMES)[number]

/** Returns true for outcomes with a usable answer: `completed` and `partial`. */
export function hasAnswer(outcome: Outcome): boolean {
  return outcome === 'completed' || outcome === 'partial'
}
