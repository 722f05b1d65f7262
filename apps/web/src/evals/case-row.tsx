import type { EvalCheckResult, EvalRepeat, EvalReport } from '@troupe/client'
import { formatCost, formatDuration } from '@troupe/timeline'
import { Check, ChevronRight, TriangleAlert, X, type LucideIcon } from 'lucide-react'
import { useState, type ReactElement } from 'react'
import { evalRunId } from '../route/eval-run-ref.ts'
import { hrefOf } from '../route/route.ts'
import { classNames } from '../ui/class-names.ts'
import { rateText } from './rate-series.ts'
import type { ReportCase } from './report-cases.ts'
import { VerdictBadge } from './verdict-badge.tsx'

const LOOKS: Readonly<Record<EvalRepeat['status'], readonly [LucideIcon, string]>> = {
  passed: [Check, 'text-good'],
  failed: [X, 'text-bad'],
  error: [TriangleAlert, 'text-warn'],
}

/** Shows a case. Its repeats are shown when it is opened. */
export function CaseRow({
  evalCase: { id, description, repeats, totals, verdict, baseTotals, baseRepeats },
  reportId,
  saved,
  base,
}: {
  readonly evalCase: ReportCase
  readonly reportId: string
  /** The runs whose events are saved. */
  readonly saved: ReadonlySet<string>
  readonly base: EvalReport | undefined
}): ReactElement {
  const [isOpen, setOpen] = useState(false)
  const status = totals.failed > 0 ? 'failed' : totals.errors > 0 ? 'error' : 'passed'
  const [Icon, tone] = LOOKS[status]
  const { cost, durationMs } = totals.usage
  return (
    <li className="border-b border-line/60 last:border-b-0">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex min-h-11 w-full flex-wrap items-center gap-x-3 gap-y-0.5 px-3 py-2 text-left text-small -outline-offset-2 hover:bg-raised/70"
      >
        <ChevronRight
          aria-hidden="true"
          className={classNames('size-4 shrink-0 text-muted transition-transform', isOpen && 'rotate-90')}
        />
        <Icon aria-label={status} className={classNames('size-4 shrink-0', tone)} strokeWidth={2.4} />
        <span className="font-medium">{id}</span>
        <span dir="auto" className="min-w-0 truncate text-muted max-sm:hidden">
          {description}
        </span>
        <span className="ml-auto flex flex-wrap items-center gap-x-3 tabular">
          {verdict === undefined ? null : <VerdictBadge verdict={verdict} />}
          {baseTotals === undefined ? null : <span className="text-muted">{rateText(baseTotals)} →</span>}
          <span>
            {totals.passed}/{totals.passed + totals.failed} · {rateText(totals)}
          </span>
          <span className="text-muted">{cost === null ? '–' : formatCost(cost)}</span>
          <span className="text-muted">{formatDuration(durationMs)}</span>
        </span>
      </button>
      {isOpen ? (
        <ol className="flex flex-col gap-3 border-t border-line/60 bg-page px-3 py-3 sm:pl-10">
          {repeats.toSorted(failedFirst).map((repeat) => (
            <Repeat
              key={repeat.index}
              repeat={repeat}
              reportId={reportId}
              isSaved={saved.has(repeat.runId ?? '')}
              other={otherRun(baseRepeats[repeat.index], base)}
            />
          ))}
        </ol>
      ) : null}
    </li>
  )
}

function failedFirst(a: EvalRepeat, b: EvalRepeat): number {
  return Number(a.status === 'passed') - Number(b.status === 'passed')
}

/** Returns the id of the run of the base if its events are saved. */
function otherRun(repeat: EvalRepeat | undefined, base: EvalReport | undefined): string | undefined {
  const runId = repeat?.runId
  if (base === undefined || runId === undefined || !base.runIds.includes(runId)) return undefined
  return evalRunId({ reportId: base.id, runId })
}

function Repeat({
  repeat: { index, status, runId, outcome, output, checks, error, usage, recorded },
  reportId,
  isSaved,
  other,
}: {
  readonly repeat: EvalRepeat
  readonly reportId: string
  readonly isSaved: boolean
  readonly other: string | undefined
}): ReactElement {
  const [Icon, tone] = LOOKS[status]
  const facts = [
    ...(outcome === undefined ? [] : [outcome]),
    ...(usage.cost === null ? [] : [formatCost(usage.cost)]),
    formatDuration(usage.durationMs),
    ...(recorded ? ['from recordings'] : []),
  ]
  return (
    <li className="flex min-w-0 flex-col gap-1.5 text-small">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className={classNames('inline-flex items-center gap-1 font-medium', tone)}>
          <Icon aria-hidden="true" className="size-3.5" strokeWidth={2.4} />
          Repeat {index + 1} {status}
        </span>
        <span className="text-muted tabular">{facts.join(' · ')}</span>
        {isSaved && runId !== undefined ? (
          <a
            href={hrefOf({ page: 'eval-run', id: reportId, runId })}
            className="inline-flex min-h-6 items-center text-accent underline underline-offset-2 max-sm:min-h-11"
          >
            Open run
          </a>
        ) : null}
        {isSaved && runId !== undefined && other !== undefined ? (
          <a
            href={hrefOf({ page: 'compare', left: other, right: evalRunId({ reportId, runId }) })}
            className="inline-flex min-h-6 items-center text-accent underline underline-offset-2 max-sm:min-h-11"
          >
            Compare with the base
          </a>
        ) : null}
      </p>
      {error === undefined ? null : (
        <p className="text-bad">
          {error.message} <span className="font-mono text-tiny">{error.code}</span>
        </p>
      )}
      {checks.length === 0 ? null : (
        <ul className="flex flex-col gap-0.5">
          {checks.map((check, at) => (
            <CheckLine key={at} check={check} />
          ))}
        </ul>
      )}
      {output === undefined || output === '' ? null : (
        <div
          dir="auto"
          tabIndex={0}
          role="group"
          aria-label={`Answer of repeat ${index + 1}`}
          className="max-h-48 overflow-auto rounded-md border border-line bg-panel px-2.5 py-1.5 break-words whitespace-pre-wrap"
        >
          {output}
        </div>
      )}
    </li>
  )
}

function CheckLine({
  check: { name, passed, gate, message, score },
}: {
  readonly check: EvalCheckResult
}): ReactElement {
  const notes = [
    ...(score === undefined ? [] : [`score ${score}`]),
    ...(gate ? [] : ['does not decide']),
    ...(message === undefined ? [] : [message]),
  ]
  const [Icon, tone] = LOOKS[passed ? 'passed' : 'failed']
  return (
    <li className="flex min-w-0 items-start gap-1.5">
      <Icon
        aria-label={passed ? 'passed' : 'failed'}
        className={classNames('mt-0.5 size-3.5 shrink-0', tone)}
        strokeWidth={2.4}
      />
      <span className="min-w-0 break-words">
        <code className="font-mono text-tiny">{name}</code>
        {notes.length === 0 ? null : <span className="ml-2 text-muted">{notes.join(' · ')}</span>}
      </span>
    </li>
  )
}
