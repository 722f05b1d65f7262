import { ERRORS, troupeError, type ErrorCode } from '@troupe/schema'
import type { EvalComparison, EvalReport, EvalTotals, EvalVariantReport } from '../report/eval-report.ts'
import { compareCounts } from '../statistics/compare-counts.ts'
import type { PassCount } from '../statistics/exact-tests.ts'

/**
 * Compares a variant with a base over the cases that both have, unless a configuration error broke every run of
 * one of them. Throws `eval_invalid` if they have no case in common.
 */
export function compareVariants(
  base: EvalVariantReport,
  current: EvalVariantReport,
  name: string,
): Pick<EvalReport, 'comparison' | 'comparisonProblem'> {
  const failed = configErrorOf(current)
  if (failed !== undefined)
    return { comparisonProblem: `Not compared with ${name}: every case failed with ${failed}.` }
  const baseFailed = configErrorOf(base)
  if (baseFailed !== undefined)
    return { comparisonProblem: `Not compared with ${name}: there, every case failed with ${baseFailed}.` }
  return { comparison: compareCases(base, current, name) }
}

function compareCases(base: EvalVariantReport, current: EvalVariantReport, name: string): EvalComparison {
  const baseTotals = new Map(base.cases.map(({ id, totals }) => [id, totals]))
  const pairs = current.cases.flatMap(({ id, totals }) => {
    const other = baseTotals.get(id)
    return other === undefined ? [] : [{ id, base: other, current: totals }]
  })
  if (pairs.length === 0)
    throw troupeError('eval_invalid', `${name} has none of the cases, so nothing can be compared.`)
  const compared = compareCounts(
    pairs.map(({ id, ...pair }) => ({ id, base: toCount(pair.base), current: toCount(pair.current) })),
  )
  const { verdict, pValue, repeatsNeeded } = compared
  return {
    base: name,
    verdict,
    pValue,
    repeatsNeeded,
    baseTotals: base.totals,
    cases: pairs.map((pair, index) => ({
      verdict: 'not distinguishable',
      pValue: 1,
      ...compared.cases[index],
      ...pair,
    })),
  }
}

/** Returns the code of a configuration error with which all repeats of a variant broke; `undefined` if not all did. */
function configErrorOf({ cases }: EvalVariantReport): string | undefined {
  const codes = cases.flatMap(({ repeats }) =>
    repeats.map(({ status, error }) => (status === 'error' ? error?.code : undefined)),
  )
  return codes.every((code) => code !== undefined && isConfigError(code)) ? codes[0] : undefined
}

/** Returns true for the code of an error in cards or configuration. */
export function isConfigError(code: string): boolean {
  return Object.hasOwn(ERRORS, code) && ERRORS[code as ErrorCode].class === 'config'
}

function toCount({ passed, failed }: EvalTotals): PassCount {
  return { passed, counted: passed + failed }
}

/** Returns the variant of a saved report with this model. Throws `eval_invalid` if there is none. */
export function variantOf(report: EvalReport, model: string | undefined, name: string): EvalVariantReport {
  const found = report.variants.find((variant) => variant.model === model)
  if (found !== undefined) return found
  const what = model === undefined ? "the cards' own models" : `the model ${model}`
  throw troupeError('eval_invalid', `${name} has no results of ${what}.`)
}

/** Parses a saved report. Throws `eval_invalid` with the file name. */
export function parseReport(text: string, file: string): EvalReport {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw notReport(file)
  }
  if (!isReport(value)) throw notReport(file)
  return value
}

function notReport(file: string): Error {
  return troupeError('eval_invalid', `${file} is not a report of \`troupe eval --json\`.`)
}

/** Checks the parts of a report that a comparison reads. */
function isReport(value: unknown): value is EvalReport {
  const { version, variants } = (value ?? {}) as Record<string, unknown>
  return version === 1 && Array.isArray(variants) && variants.every(isVariant)
}

function isVariant(variant: unknown): boolean {
  const { cases, totals } = (variant ?? {}) as Record<string, unknown>
  return isTotals(totals) && Array.isArray(cases) && cases.every(isCase)
}

function isCase(each: unknown): boolean {
  const { id, totals, repeats } = (each ?? {}) as Record<string, unknown>
  return (
    typeof id === 'string' &&
    isTotals(totals) &&
    Array.isArray(repeats) &&
    repeats.every((repeat) => typeof repeat === 'object' && repeat !== null)
  )
}

/** Larger counts would make the exact test run for too long. */
const MOST_REPEATS = 1000

function isTotals(totals: unknown): boolean {
  const { passed, failed } = (totals ?? {}) as Record<string, unknown>
  return [passed, failed].every(
    (count) => Number.isSafeInteger(count) && (count as number) >= 0 && (count as number) <= MOST_REPEATS,
  )
}
