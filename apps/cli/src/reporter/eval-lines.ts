import type { EvalCaseReport, EvalProgress, EvalResult, EvalTotals, JudgeCalibration } from '@troupe/evals'
import { repeatsToCallOneCase } from '@troupe/evals'
import { formatCost, plainText } from '@troupe/timeline'
import type { Style } from '../terminal/terminal.ts'
import { countText, tableLines } from './table.ts'

const LONGEST = 300

/** Returns the lines of a finished evaluation: one for each case, why checks failed, and the totals. */
export function evalLines(result: EvalResult, style: Style): readonly string[] {
  return [
    ...result.variants.flatMap(({ model, cases, totals }) => [
      ...(model === undefined ? [] : [style.bold(plainText(model))]),
      ...caseLines(cases, result, style),
      totalLine(cases, totals),
    ]),
    ...result.judges.map(judgeLine),
    ...comparisonLines(result, style),
  ]
}

function caseLines(
  cases: readonly EvalCaseReport[],
  { comparison }: EvalResult,
  style: Style,
): readonly string[] {
  const verdicts = new Map(comparison?.cases.map(({ id, verdict, pValue }) => [id, { verdict, pValue }]))
  const rows = cases.map(({ id, totals }) => {
    const found = verdicts.get(id)
    const verdict =
      found === undefined || found.verdict === 'not distinguishable'
        ? ''
        : `${found.verdict} (p ${pText(found.pValue)})`
    return [statusOf(totals), plainText(id), rateText(totals), intervalText(totals), verdict]
  })
  const [, ...lines] = tableLines(
    ['', '', '', '', ''].map((title) => ({ title })),
    rows,
  )
  return cases.flatMap((each, index) => [
    lines[index] ?? '',
    ...reasonsOf(each).map((reason) => style.dim(`        ${reason}`)),
  ])
}

function statusOf({ passed, failed, errors }: EvalTotals): string {
  if (failed > 0) return 'failed'
  return errors > 0 || passed === 0 ? 'error' : 'passed'
}

/** Returns why repeats of a case failed or broke, each reason once with the number of repeats. */
function reasonsOf({ repeats }: EvalCaseReport): readonly string[] {
  const counts = new Map<string, number>()
  for (const { status, checks, error } of repeats) {
    const failed = checks
      .filter(({ passed, gate }) => !passed && gate)
      .map(({ name, message }) => `${name}: ${message ?? 'failed'}`)
    const reasons =
      status === 'failed' ? failed : status === 'error' ? [`${error?.code}: ${error?.message}`] : []
    for (const reason of new Set(reasons)) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  }
  return [...counts].map(
    ([reason, count]) => `${plainText(reason, { max: LONGEST })}${count === 1 ? '' : ` (${count} times)`}`,
  )
}

function totalLine(
  cases: readonly EvalCaseReport[],
  { passed, failed, errors, usage, modelCalls }: EvalTotals,
): string {
  const runs = passed + failed + errors
  const calls = `${countText(modelCalls.asked + modelCalls.recorded, 'model call')}, ${modelCalls.recorded} of them from recordings`
  const cost = usage.cost === null ? 'unknown cost' : formatCost(usage.cost)
  return `${countText(cases.length, 'case')}, ${countText(runs, 'run')}: ${passed} passed, ${failed} failed, ${errors} broke. ${calls}, ${cost}.`
}

function judgeLine({
  agent,
  labels,
  agreement,
  interval,
  sensitivity,
  specificity,
}: JudgeCalibration): string {
  const shares = [
    sensitivity === null ? undefined : `sensitivity ${numberText(sensitivity)}`,
    specificity === null ? undefined : `specificity ${numberText(specificity)}`,
  ].filter((share) => share !== undefined)
  const [low, high] = interval
  return `The judge ${plainText(agent)} agrees with ${Math.round(agreement * labels)} of ${labels} labels (${numberText(low)} to ${numberText(high)}), ${shares.join(', ')}.`
}

function comparisonLines({ comparison, variants }: EvalResult, style: Style): readonly string[] {
  if (comparison === undefined) return []
  const { base, verdict, pValue, repeatsNeeded, baseTotals } = comparison
  const rates = `${rateText(variants[0]?.totals ?? baseTotals)} against ${rateText(baseTotals)}`
  const line = `Compared with ${plainText(base)}: ${style.bold(verdict)} (${rates}, p ${pText(pValue)}).`
  return [
    line,
    ...(repeatsNeeded === null
      ? []
      : [`A difference of this size would be found with ${repeatsNeeded} repeats of each case.`]),
    ...tooFewLine(comparison),
  ]
}

/** Returns a note if the repeats are too few to call any single case better or worse. */
function tooFewLine({ cases }: NonNullable<EvalResult['comparison']>): readonly string[] {
  const needed = repeatsToCallOneCase(cases.length)
  const most = Math.max(...cases.map(({ base, current }) => Math.min(countOf(base), countOf(current))))
  if (most >= needed) return []
  return [
    `A single one of ${countText(cases.length, 'case')} can be called better or worse from ${needed} repeats on.`,
  ]
}

function countOf({ passed, failed }: EvalTotals): number {
  return passed + failed
}

function rateText({ passed, failed, rate }: EvalTotals): string {
  return rate === null ? 'no result' : `${passed}/${passed + failed}`
}

function intervalText({ interval }: EvalTotals): string {
  if (interval === null) return ''
  const [low, high] = interval.map((bound) => Math.round(bound * 100))
  return `${low}-${high} %`
}

function pText(pValue: number): string {
  return pValue < 0.001 ? '< 0.001' : `= ${numberText(pValue)}`
}

function numberText(value: number): string {
  return value.toFixed(3).replace(/\.?0+$/u, '')
}

/** Returns the line of one finished run. */
export function progressLine({ id, model, isBase, repeat, finished, total }: EvalProgress): string {
  const where = [
    plainText(id),
    model === undefined ? undefined : plainText(model),
    isBase ? 'base' : undefined,
  ]
  const name = where.filter((part) => part !== undefined).join(', ')
  return `${finished}/${total} ${name}: ${repeat.status}`
}
