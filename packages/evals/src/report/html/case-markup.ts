import type { RunEvent } from '@troupe/schema'
import { formatCost, formatDuration } from '@troupe/timeline'
import { html, textMarkup, timelineMarkup, type Markup } from '@troupe/timeline/html'
import type { EvalCaseReport, EvalCheckResult, EvalRepeat, EvalTotals, EvalVerdict } from '../eval-report.ts'
import { passedText, rateText } from '../report-text.ts'

/** Maximum number of characters of one answer. */
const MAX_OUTPUT = 20_000

/** A case with its place on the page. */
export interface CaseOnPage {
  /** The case. */
  readonly report: EvalCaseReport
  /** Id of its element. */
  readonly anchor: string
  readonly verdict: EvalVerdict | undefined
}

/** Shows a case with all of its repeats. The first repeat that did not pass is open. */
export function caseMarkup(
  { report, anchor, verdict }: CaseOnPage,
  runs: ReadonlyMap<string, readonly RunEvent[]>,
): Markup {
  const { id, description, repeats, totals } = report
  const firstFailed = repeats.find(({ status }) => status !== 'passed')
  return html`<section class="case" id="${anchor}">
    <h3>${id} ${statusMarkup(caseStatus(totals))}</h3>
    ${description === undefined ? undefined : html`<p>${description}</p>`}
    <p class="muted">${totalsText(totals)}${verdict === undefined ? '' : ` · ${verdict}`}</p>
    ${repeats.map((repeat) => repeatMarkup(repeat, { runs, isOpen: repeat === firstFailed }))}
  </section>`
}

/** Returns the status of a case: failed if a repeat failed, error if one broke. */
export function caseStatus({ failed, errors }: EvalTotals): EvalRepeat['status'] {
  if (failed > 0) return 'failed'
  return errors > 0 ? 'error' : 'passed'
}

/** Shows a status in its colour. */
export function statusMarkup(status: EvalRepeat['status']): Markup {
  return html`<span class="${status}">${status}</span>`
}

/** Returns passed repeats, rate, cost and time as one line. */
export function totalsText(totals: EvalTotals): string {
  const { errors, usage } = totals
  const parts = [
    `${passedText(totals)} passed`,
    rateText(totals),
    ...(errors === 0 ? [] : [`${errors} with errors`]),
    ...usageTexts(usage),
  ]
  return parts.join(' · ')
}

function usageTexts({ cost, durationMs }: EvalTotals['usage']): readonly string[] {
  return [...(cost === null ? [] : [formatCost(cost)]), formatDuration(durationMs)]
}

function repeatMarkup(
  { index, status, runId, outcome, output, checks, error, usage, recorded }: EvalRepeat,
  { runs, isOpen }: { readonly runs: ReadonlyMap<string, readonly RunEvent[]>; readonly isOpen: boolean },
): Markup {
  const facts = [
    ...(outcome === undefined ? [] : [outcome]),
    ...usageTexts(usage),
    ...(recorded ? ['from recordings'] : []),
  ]
  const events = runs.get(runId ?? '') ?? []
  const open = isOpen ? html` open` : undefined
  return html`<details class="repeat" data-status="${status}" ${open}>
    <summary>
      Repeat ${index + 1} ${statusMarkup(status)} <span class="muted">${facts.join(' · ')}</span>
    </summary>
    ${error === undefined ? undefined : html`<p class="error">${error.code}: ${error.message}</p>`}
    ${
      checks.length === 0
        ? undefined
        : html`<ul class="checks">
            ${checks.map(checkMarkup)}
          </ul>`
    }
    ${textMarkup('Answer', output, MAX_OUTPUT)}
    ${
      events.length === 0
        ? html`<p class="muted">The events of this run are not available.</p>`
        : html`<p class="muted">Timeline of ${runId}</p>
            ${timelineMarkup(events)}`
    }
  </details>`
}

function checkMarkup({ name, passed, gate, message, score }: EvalCheckResult): Markup {
  const notes = [
    ...(score === undefined ? [] : [`score ${score}`]),
    ...(gate ? [] : ['does not decide']),
    ...(message === undefined ? [] : [message]),
  ]
  const status = passed ? 'passed' : 'failed'
  return html`<li>
    <span class="${status}" role="img" aria-label="${status}">${passed ? '✓' : '✗'}</span>
    <code>${name}</code> <span class="muted">${notes.join(' · ')}</span>
  </li>`
}
