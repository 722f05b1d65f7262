import type { RunEvent } from '@troupe/schema'
import type { EvalReport, EvalTotals, EvalVerdict } from '../report/eval-report.ts'

/** A report that `troupe eval` has saved. */
export interface StoredReport extends EvalReport {
  readonly id: string
  /** Names of the case files. */
  readonly caseFiles: readonly string[]
  /** Ids of the runs whose events are saved. */
  readonly runIds: readonly string[]
}

/** A saved report without its cases. */
export interface ReportSummary extends Pick<
  StoredReport,
  'id' | 'createdAt' | 'commit' | 'agent' | 'cardDigest' | 'caseFiles'
> {
  readonly variants: readonly { readonly model?: string; readonly totals: EvalTotals }[]
  /** The result of the comparison of the report. */
  readonly verdict?: EvalVerdict
  /** The git ref or the path of the report that it is compared with. */
  readonly base?: string
}

/** The saved reports of a team. */
export interface EvalReports {
  /** Returns the summaries of the reports, newest first. */
  list(): Promise<readonly ReportSummary[]>
  /**
   * Returns a report; `undefined` if there is none. With `base`, the id of another report, its comparison is
   * with that one. Throws `eval_invalid` if the two cannot be compared.
   */
  read(id: string, options?: { readonly base?: string | undefined }): Promise<StoredReport | undefined>
  /** Returns the events of a run of a report; `undefined` if they are not saved. */
  events(id: string, runId: string): Promise<readonly RunEvent[] | undefined>
}

/** Returns the summary of a report. */
export function summarizeReport(report: StoredReport): ReportSummary {
  const { id, createdAt, commit, agent, cardDigest, caseFiles, variants, comparison } = report
  return {
    id,
    createdAt,
    ...(commit === undefined ? {} : { commit }),
    agent,
    cardDigest,
    caseFiles,
    variants: variants.map(({ model, totals }) => ({ ...(model === undefined ? {} : { model }), totals })),
    ...(comparison === undefined ? {} : { verdict: comparison.verdict, base: comparison.base }),
  }
}
