/** How a run or a tool call ended. Each ends in exactly one of these (R6). */
export const OUTCOMES = [
  'completed',
  'partial',
  'failed',
  'timeout',
  'budget',
  'cancelled',
  'denied',
] as const

/** See {@link OUTCOMES}. `partial` carries an answer that a limit cut short. */
export type Outcome = (typeof OUTCOMES)[number]

/** True for outcomes that carry a usable answer: `completed` and `partial`. */
export function hasAnswer(outcome: Outcome): boolean {
  return outcome === 'completed' || outcome === 'partial'
}
