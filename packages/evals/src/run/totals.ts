import type { EvalRepeat, EvalTotals } from '../report/eval-report.ts'
import { wilsonInterval } from '../statistics/wilson.ts'

/** A repeat with its model calls, which the report has only in sums. */
export interface CountedRepeat {
  readonly repeat: EvalRepeat
  readonly modelCalls: EvalTotals['modelCalls']
}

/** Sums up repeats. `further` are model calls of judges. The cost is `null` if that of a repeat is not known. */
export function totalsOf(
  repeats: readonly CountedRepeat[],
  further: readonly EvalTotals['modelCalls'][] = [],
): EvalTotals {
  const count = (status: EvalRepeat['status']): number =>
    repeats.filter(({ repeat }) => repeat.status === status).length
  const passed = count('passed')
  const failed = count('failed')
  const usages = repeats.map(({ repeat }) => repeat.usage)
  const calls = [...repeats.map(({ modelCalls }) => modelCalls), ...further]
  const costs = usages.map(({ cost }) => cost)
  return {
    passed,
    failed,
    errors: count('error'),
    rate: passed + failed === 0 ? null : passed / (passed + failed),
    interval: wilsonInterval(passed, passed + failed) ?? null,
    usage: {
      inputTokens: sum(usages.map(({ inputTokens }) => inputTokens)),
      outputTokens: sum(usages.map(({ outputTokens }) => outputTokens)),
      cost: costs.every((cost) => cost !== null) ? sum(costs) : null,
      durationMs: sum(usages.map(({ durationMs }) => durationMs)),
    },
    modelCalls: {
      asked: sum(calls.map(({ asked }) => asked)),
      recorded: sum(calls.map(({ recorded }) => recorded)),
    },
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
