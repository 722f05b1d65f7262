import type { EvalComparison, EvalReport, EvalTotals, EvalVariantReport } from './eval-report.ts'

/** Returns the name of a variant: its model, or that the cards' own models were used. */
export function variantName({ model }: Pick<EvalVariantReport, 'model'>): string {
  return model ?? 'models of the cards'
}

/** Returns the number of passed repeats of those that count, such as `3/5`. */
export function passedText({ passed, failed }: EvalTotals): string {
  return `${passed}/${passed + failed}`
}

/** Returns a rate with its interval, such as `60 % (23–88 %)`; `–` if no repeat counts. */
export function rateText({ rate, interval }: Pick<EvalTotals, 'rate' | 'interval'>): string {
  if (rate === null) return '–'
  if (interval === null) return `${percent(rate)} %`
  const [low, high] = interval
  return `${percent(rate)} % (${percent(low)}–${percent(high)} %)`
}

/** Rounds to whole percents, but never to 0 or 100 if some repeats passed and some failed. */
function percent(share: number): number {
  if (share <= 0 || share >= 1) return Math.round(share * 100)
  return Math.min(99, Math.max(1, Math.round(share * 100)))
}

/** Returns the totals of all variants as one line about the model calls. */
export function callsText({ variants }: Pick<EvalReport, 'variants'>): string {
  const sum = (key: 'asked' | 'recorded'): number =>
    variants.reduce((total, { totals }) => total + totals.modelCalls[key], 0)
  return `Model calls: ${sum('asked')} made to models, ${sum('recorded')} answered from recordings.`
}

/** Returns a comparison as sentences. */
export function comparisonText({ base, verdict, pValue, repeatsNeeded }: EvalComparison): string {
  const result = `Compared with ${base}: ${verdict} (${probabilityText(pValue)}).`
  if (verdict !== 'not distinguishable' || repeatsNeeded === null) return result
  return `${result} About ${repeatsNeeded} repeats per case are needed to tell.`
}

/** Returns a p-value, such as `p = 0.031` or `p < 0.001`. */
export function probabilityText(pValue: number): string {
  return pValue < 0.001 ? 'p < 0.001' : `p = ${pValue.toFixed(3)}`
}
