import type { EvalReport } from '@troupe/client'
import { formatCost, formatDuration } from '@troupe/timeline'
import { useMemo, useState, type ReactElement } from 'react'
import { evalQuery } from '../api/queries.ts'
import { useRequest } from '../api/use-request.ts'
import { Button } from '../ui/button.tsx'
import { DATE_TIME } from '../ui/format.ts'
import { FailureNotice, Notice } from '../ui/notice.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Facts, Section } from '../ui/section.tsx'
import { CaseRow } from './case-row.tsx'
import { rateText } from './rate-series.ts'
import { toReportCases, type ReportCase } from './report-cases.ts'
import { VerdictBadge } from './verdict-badge.tsx'

/** Shows a report with its cases, compared with its base or with another report. */
export function ReportPage({
  id,
  base: baseId,
}: {
  readonly id: string
  /** The id of the report to compare with. */
  readonly base: string | undefined
}): ReactElement {
  const { value: report, failure } = useRequest(evalQuery(id, baseId))
  const { value: base } = useRequest(baseId === undefined ? undefined : evalQuery(baseId))
  return (
    <div className="flex min-h-full flex-col">
      <PageHead
        title={report === undefined ? 'Report' : `Evaluation of ${report.agent}`}
        trail={<a href="#/evals">Evals</a>}
      />
      {failure === undefined ? null : <FailureNotice failure={failure} className="m-4 sm:mx-6" />}
      {report === undefined ? null : (
        <div className="flex flex-col gap-6 p-4 sm:p-6">
          <ReportFacts report={report} base={base} />
          {report.variants.map((variant, index) => (
            <VariantCases
              key={variant.model ?? ''}
              title={report.variants.length === 1 ? 'Cases' : (variant.model ?? 'Default models')}
              cases={toReportCases(report, index, base)}
              reportId={report.id}
              runIds={report.runIds}
              base={index === 0 ? base : undefined}
            />
          ))}
        </div>
      )}
    </div>
  )
}

function ReportFacts({
  report,
  base,
}: {
  readonly report: EvalReport
  readonly base: EvalReport | undefined
}): ReactElement {
  const { createdAt, commit, cardDigest, caseFiles, variants, comparison, comparisonProblem } = report
  const baseName =
    base === undefined ? comparison?.base : `the report of ${DATE_TIME.format(Date.parse(base.createdAt))}`
  // the sentence names a saved report by its id
  const problem =
    base === undefined ? comparisonProblem : comparisonProblem?.replace(base.id, () => `${baseName}`)
  return (
    <div className="flex flex-col gap-4">
      {comparison === undefined ? null : (
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 rounded-lg border border-line bg-panel px-4 py-3 text-small">
          <VerdictBadge verdict={comparison.verdict} />
          <span>
            compared with {baseName}: {rateText(comparison.baseTotals)} before,{' '}
            {variants[0] === undefined ? '–' : rateText(variants[0].totals)} now
          </span>
          <span className="text-muted tabular">{probabilityText(comparison.pValue)}</span>
          {comparison.repeatsNeeded === null ? null : (
            <span className="text-muted">
              About {comparison.repeatsNeeded} repeats per case are needed to tell.
            </span>
          )}
        </p>
      )}
      {problem === undefined ? null : <Notice tone="warn">{problem}</Notice>}
      <Facts
        facts={{
          Time: DATE_TIME.format(Date.parse(createdAt)),
          'Case files': caseFiles.join(', '),
          Cards: <span className="font-mono text-tiny">{cardDigest.slice(0, 12)}</span>,
          Commit:
            commit === undefined ? undefined : (
              <span className="font-mono text-tiny">{commit.slice(0, 12)}</span>
            ),
          ...Object.fromEntries(
            variants.map(({ model, totals }) => [
              model ?? 'Passed',
              [
                `${totals.passed} of ${totals.passed + totals.failed}, ${rateText(totals)}`,
                ...(totals.errors === 0 ? [] : [`${totals.errors} with errors`]),
                ...(totals.usage.cost === null ? [] : [formatCost(totals.usage.cost)]),
                formatDuration(totals.usage.durationMs),
              ].join(' · '),
            ]),
          ),
        }}
      />
    </div>
  )
}

function probabilityText(pValue: number): string {
  return pValue < 0.001 ? 'p < 0.001' : `p = ${pValue.toFixed(3)}`
}

function VariantCases({
  title,
  cases,
  reportId,
  runIds,
  base,
}: {
  readonly title: string
  readonly cases: readonly ReportCase[]
  readonly reportId: string
  readonly runIds: readonly string[]
  readonly base: EvalReport | undefined
}): ReactElement {
  const [isFiltered, setFiltered] = useState(false)
  const saved = useMemo(() => new Set(runIds), [runIds])
  const shown = isFiltered ? cases.filter(({ totals }) => totals.failed + totals.errors > 0) : cases
  return (
    <Section
      title={title}
      action={
        <Button
          className="max-sm:h-11"
          tone={isFiltered ? 'solid' : 'outline'}
          aria-pressed={isFiltered}
          onClick={() => setFiltered(!isFiltered)}
        >
          Only failed
        </Button>
      }
    >
      {shown.length === 0 ? <p className="text-small text-muted">No case failed.</p> : null}
      <ul className="flex flex-col overflow-hidden rounded-lg border border-line bg-panel empty:hidden">
        {shown.map((each) => (
          <CaseRow key={each.id} evalCase={each} reportId={reportId} saved={saved} base={base} />
        ))}
      </ul>
    </Section>
  )
}
