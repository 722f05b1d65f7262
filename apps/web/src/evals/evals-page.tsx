import type { EvalReportSummary } from '@troupe/client'
import { formatCost } from '@troupe/timeline'
import { FlaskConical } from 'lucide-react'
import { useMemo, useState, type ReactElement } from 'react'
import { isReloadOf } from '../api/changes.ts'
import { EVALS } from '../api/queries.ts'
import { useRequest } from '../api/use-request.ts'
import { goTo, hrefOf } from '../route/route.ts'
import { Button } from '../ui/button.tsx'
import { DATE_TIME } from '../ui/format.ts'
import { EmptyState, FailureNotice } from '../ui/notice.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Section } from '../ui/section.tsx'
import { RateChart } from './rate-chart.tsx'
import { rateSeries, rateText } from './rate-series.ts'
import { VerdictBadge } from './verdict-badge.tsx'

const REFRESH_MS = 15_000
/** Rows that are shown at first. */
const PAGE = 100

/** Shows the history of evaluations: the pass rates over time, and all reports. */
export function EvalsPage(): ReactElement {
  const { value, failure } = useRequest(EVALS, { isStale: isReloadOf('evals'), everyMs: REFRESH_MS })
  const reports = value?.reports
  const series = useMemo(() => rateSeries(reports ?? []), [reports])
  const [selected, setSelected] = useState<readonly string[]>([])
  return (
    <div className="flex min-h-full flex-col">
      <PageHead title="Evals">
        <CompareReports reports={reports ?? []} selected={selected} />
      </PageHead>
      {failure === undefined ? null : <FailureNotice failure={failure} className="m-4 sm:mx-6" />}
      {reports?.length === 0 ? (
        <EmptyState icon={<FlaskConical className="size-5" />} title="No reports yet">
          <p>
            Run <code className="font-mono text-ink">troupe eval team</code> with the folder of the served
            cards and its <code className="font-mono text-ink">*.eval.yaml</code> files. Each report is listed
            here.
          </p>
        </EmptyState>
      ) : null}
      {reports === undefined || reports.length === 0 ? null : (
        <div className="flex flex-col gap-6 p-4 sm:p-6">
          <Section title="Pass rate">
            <div className="grid gap-3 lg:grid-cols-2">
              {series.map((each) => (
                <RateChart key={each.key} series={each} />
              ))}
            </div>
          </Section>
          <Section title="Reports">
            <ReportTable reports={reports} selected={selected} onSelect={setSelected} />
          </Section>
        </div>
      )}
    </div>
  )
}

/** Opens the comparison of two selected reports. The older one becomes the base. */
function CompareReports({
  reports,
  selected,
}: {
  readonly reports: readonly EvalReportSummary[]
  readonly selected: readonly string[]
}): ReactElement | null {
  const [current, base] = reports.filter(({ id }) => selected.includes(id))
  if (reports.length < 2) return null
  const isSameAgent = current !== undefined && current.agent === base?.agent
  return (
    <span className="flex flex-wrap items-center gap-2">
      <span role="status" className="text-small text-muted">
        {current === undefined || base === undefined
          ? 'Select two reports to compare'
          : isSameAgent
            ? '2 reports selected'
            : 'The reports are of different agents'}
      </span>
      <Button
        className="max-sm:h-11"
        disabled={!isSameAgent}
        onClick={() =>
          current !== undefined && base !== undefined && goTo({ page: 'eval', id: current.id, base: base.id })
        }
      >
        Compare
      </Button>
    </span>
  )
}

function ReportTable({
  reports,
  selected,
  onSelect,
}: {
  readonly reports: readonly EvalReportSummary[]
  readonly selected: readonly string[]
  readonly onSelect: (ids: readonly string[]) => void
}): ReactElement {
  const [visibleCount, setVisibleCount] = useState(PAGE)
  const toggle = (id: string): void =>
    onSelect(selected.includes(id) ? selected.filter((other) => other !== id) : [...selected.slice(-1), id])
  return (
    <>
      <ul className="flex flex-col overflow-hidden rounded-lg border border-line bg-panel">
        {reports.slice(0, visibleCount).map((report) => (
          <li
            key={report.id}
            className="flex min-h-11 items-center gap-3 border-b border-line/60 px-3 py-1.5 last:border-b-0 hover:bg-raised/70"
          >
            <label className="-my-1.5 grid size-9 shrink-0 cursor-pointer place-items-center max-sm:size-11">
              <input
                type="checkbox"
                aria-label={`Select the report of ${DATE_TIME.format(Date.parse(report.createdAt))}`}
                className="size-4 accent-accent"
                checked={selected.includes(report.id)}
                onChange={() => toggle(report.id)}
              />
            </label>
            <ReportRow report={report} />
          </li>
        ))}
      </ul>
      {reports.length > visibleCount ? (
        <Button className="self-center" onClick={() => setVisibleCount(visibleCount + PAGE)}>
          Show older reports
        </Button>
      ) : null}
    </>
  )
}

function ReportRow({ report }: { readonly report: EvalReportSummary }): ReactElement {
  const { id, createdAt, agent, cardDigest, commit, caseFiles, variants, verdict, base } = report
  return (
    <div className="flex min-w-0 grow flex-wrap items-baseline gap-x-4 gap-y-0.5 text-small">
      <a
        href={hrefOf({ page: 'eval', id })}
        className="font-medium tabular text-accent underline-offset-2 hover:underline"
      >
        {DATE_TIME.format(Date.parse(createdAt))}
      </a>
      <span className="font-medium">{agent}</span>
      <span className="min-w-0 truncate text-muted">{caseFiles.join(', ')}</span>
      {variants.map(({ model, totals }) => (
        <span key={model ?? ''} className="tabular">
          {model === undefined ? '' : <span className="mr-1.5 font-mono text-tiny text-muted">{model}</span>}
          {rateText(totals)}
          <span className="ml-1.5 text-muted">
            {totals.usage.cost === null ? '' : formatCost(totals.usage.cost)}
          </span>
        </span>
      ))}
      {verdict === undefined ? null : (
        <span className="inline-flex items-baseline gap-1.5">
          <VerdictBadge verdict={verdict} />
          <span className="max-w-40 truncate text-tiny text-muted">than {base}</span>
        </span>
      )}
      <span className="ml-auto font-mono text-tiny text-muted">
        cards {cardDigest.slice(0, 7)}
        {commit === undefined ? '' : ` · ${commit.slice(0, 7)}`}
      </span>
    </div>
  )
}
