import type { EvalReportSummary } from '@troupe/client'

/** The rate of one report. */
export interface RatePoint {
  readonly id: string
  /** In ms since 1970. */
  readonly time: number
  readonly cardDigest: string
  readonly rate: number
  readonly low: number
  readonly high: number
  readonly passed: number
  readonly counted: number
  /** True if the cards differ from those of the point before. */
  readonly isNewVersion: boolean
}

/** The rates of the same cases, agent and model, oldest first. */
export interface RateSeries {
  readonly key: string
  readonly agent: string
  readonly model: string | undefined
  readonly caseFiles: readonly string[]
  readonly points: readonly RatePoint[]
}

/** Most points of a series, the newest ones. */
const MAX_POINTS = 60

/** Groups reports by case files, agent and model. `reports` are newest first. Reports without a rate are left out. */
export function rateSeries(reports: readonly EvalReportSummary[]): readonly RateSeries[] {
  const series = new Map<string, RateSeries & { readonly points: RatePoint[] }>()
  for (const { id, createdAt, agent, cardDigest, caseFiles, variants } of reports)
    for (const { model, totals } of variants) {
      const { rate, interval, passed, failed } = totals
      if (rate === null || interval === null) continue
      const key = JSON.stringify([caseFiles, agent, model ?? ''])
      const known = series.get(key) ?? { key, agent, model, caseFiles, points: [] }
      series.set(key, known)
      if (known.points.length >= MAX_POINTS) continue
      const [low, high] = interval
      const point = { id, time: Date.parse(createdAt), cardDigest, rate, low, high }
      known.points.push({ ...point, passed, counted: passed + failed, isNewVersion: false })
    }
  return [...series.values()].map((each) => ({ ...each, points: markVersions(each.points.toReversed()) }))
}

function markVersions(points: readonly RatePoint[]): readonly RatePoint[] {
  return points.map((point, index) => {
    const before = points[index - 1]
    return { ...point, isNewVersion: before !== undefined && before.cardDigest !== point.cardDigest }
  })
}

/** Returns a rate in whole percent, but never 0 or 100 if some repeats passed and some failed. */
export function percentText(share: number): string {
  const percent = Math.round(share * 100)
  return `${share <= 0 || share >= 1 ? percent : Math.min(99, Math.max(1, percent))} %`
}

/** Returns a rate with its interval, such as `60 % (23–88 %)`; `–` if no repeat counts. */
export function rateText({
  rate,
  interval,
}: {
  readonly rate: number | null
  readonly interval: readonly [number, number] | null
}): string {
  if (rate === null) return '–'
  if (interval === null) return percentText(rate)
  const [low, high] = interval
  return `${percentText(rate)} (${percentText(low).slice(0, -2)}–${percentText(high)})`
}
