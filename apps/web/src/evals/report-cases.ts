import type { EvalCaseReport, EvalComparison, EvalRepeat, EvalReport, EvalTotals } from '@troupe/client'

/** A case of a report, with its result in the base. */
export interface ReportCase extends EvalCaseReport {
  readonly verdict: EvalComparison['verdict'] | undefined
  readonly baseTotals: EvalTotals | undefined
  /** The repeats of the base, if it is a saved report. */
  readonly baseRepeats: readonly EvalRepeat[]
}

/**
 * Returns the cases of a variant. The comparison is that of the first variant; worse cases come first, then those
 * that did not pass.
 */
export function toReportCases(
  { variants, comparison }: EvalReport,
  index: number,
  base: EvalReport | undefined,
): readonly ReportCase[] {
  const variant = variants[index]
  const compared = new Map(index === 0 ? comparison?.cases.map((each) => [each.id, each]) : [])
  const baseVariant = base?.variants.find(({ model }) => model === variant?.model) ?? base?.variants[0]
  const baseCases = new Map(index === 0 ? baseVariant?.cases.map((each) => [each.id, each]) : [])
  const cases = (variant?.cases ?? []).map((each) => ({
    ...each,
    verdict: compared.get(each.id)?.verdict,
    baseTotals: compared.get(each.id)?.base,
    baseRepeats: baseCases.get(each.id)?.repeats ?? [],
  }))
  return cases.toSorted((a, b) => orderOf(a) - orderOf(b))
}

function orderOf({ verdict, totals }: ReportCase): number {
  if (verdict === 'worse') return 0
  return totals.failed + totals.errors > 0 ? 1 : 2
}
