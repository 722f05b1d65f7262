import { troupeError } from '@troupe/schema'
import type { Bounds } from '../cases/eval-check.ts'
import type { CheckedRun, CheckFinding } from './check-input.ts'

/** Checks the cost of the run and everything below it in USD. */
export function checkCost(bounds: Bounds, { report }: CheckedRun): CheckFinding {
  const { cost, unpriced } = report.usage
  if (cost === null) throw troupeError('model_unpriced', `the price of ${unpriced.join(', ')} is not known`)
  return within(cost, bounds, `the run cost ${cost} USD`)
}

/** Checks the input and output tokens of the run and everything below it. */
export function checkTokens(bounds: Bounds, { report }: CheckedRun): CheckFinding {
  const tokens = report.usage.inputTokens + report.usage.outputTokens
  return within(tokens, bounds, `the run used ${tokens} tokens`)
}

/** Checks the active time of the run in ms. Recorded answers have no time. */
export function checkLatency(bounds: Bounds, { report, isRecorded }: CheckedRun): CheckFinding {
  if (isRecorded)
    return { passed: true, undecided: true, message: 'not measured, because model answers were recorded' }
  return within(report.activeMs, bounds, `the run took ${report.activeMs} ms`)
}

/** Checks the number of turns of the evaluated agent, without those of the agents below it. */
export function checkTurns(bounds: Bounds, { events }: CheckedRun): CheckFinding {
  const turns = events.filter((event) => event.type === 'turn-start' && event.depth === 0).length
  return within(turns, bounds, `the agent took ${turns} turns`)
}

/** Checks that the run has no problems: failed, denied or timed-out calls and children. */
export function checkNoProblems({ report }: CheckedRun): CheckFinding {
  const [first] = report.problems
  return {
    passed: report.problemCount === 0,
    message: first === undefined ? 'the run has no problems' : `${first.instance}: ${first.message}`,
  }
}

function within(value: number, { min = -Infinity, max = Infinity }: Bounds, message: string): CheckFinding {
  return { passed: value >= min && value <= max, message }
}
