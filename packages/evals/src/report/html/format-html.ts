import type { RunEvent } from '@troupe/schema'
import { formatCost, formatDuration } from '@troupe/timeline'
import { html, htmlPage, PAGE_STYLE, type Markup } from '@troupe/timeline/html'
import type { EvalReport, EvalVariantReport } from '../eval-report.ts'
import { callsText, comparisonText, passedText, rateText, variantName } from '../report-text.ts'
import { caseMarkup, caseStatus, statusMarkup, totalsText, type CaseOnPage } from './case-markup.ts'
import { PAGE_SCRIPT } from './page-script.ts'

/**
 * Formats a report as one HTML file that sends no requests: a summary, and each case with its repeats, checks,
 * answers and timelines. `runs` has the events of the runs by run id; a run that is missing has no timeline.
 */
export function formatHtml(report: EvalReport, runs: ReadonlyMap<string, readonly RunEvent[]>): string {
  const variants = report.variants.map((variant, index) => ({
    variant,
    cases: casesOf(variant, index, report),
  }))
  return htmlPage({
    title: `Evaluation of ${report.agent}`,
    style: PAGE_STYLE,
    script: PAGE_SCRIPT,
    body: html`${headMarkup(report)} ${variants.map(({ variant, cases }) => summaryMarkup(variant, cases))}
      <div id="controls" hidden>
        <input
          id="search"
          type="search"
          placeholder="Search cases, answers and timelines"
          aria-label="Search"
        />
        <label><input id="failed-only" type="checkbox" /> Failed only</label>
        <span id="count" class="muted" role="status"></span>
      </div>
      ${variants.map(
        ({ variant, cases }) =>
          html`${variants.length === 1 ? undefined : html`<h2>${variantName(variant)}</h2>`}
          ${cases.map((each) => caseMarkup(each, runs))}`,
      )}`,
  })
}

/** Returns the cases of a variant. The comparison is that of the first variant. */
function casesOf(
  { cases }: EvalVariantReport,
  index: number,
  { comparison }: EvalReport,
): readonly CaseOnPage[] {
  const compared = index === 0 ? (comparison?.cases ?? []) : []
  const verdicts = new Map(compared.map(({ id, verdict }) => [id, verdict]))
  return cases.map((report, position) => ({
    report,
    anchor: `case-${index}-${position}`,
    verdict: verdicts.get(report.id),
  }))
}

function headMarkup(report: EvalReport): Markup {
  const { agent, createdAt, commit, cardDigest, comparison } = report
  const origin = [createdAt, ...(commit === undefined ? [] : [`commit ${commit}`]), `cards ${cardDigest}`]
  return html`<h1>Evaluation of ${agent}</h1>
    <p class="muted">${origin.join(' · ')}</p>
    <p>${callsText(report)}</p>
    ${
      comparison === undefined
        ? undefined
        : html`<p class="${comparison.verdict}">${comparisonText(comparison)}</p>
            <p class="muted">${comparison.base}: ${totalsText(comparison.baseTotals)}</p>`
    }`
}

function summaryMarkup(variant: EvalVariantReport, cases: readonly CaseOnPage[]): Markup {
  const { totals } = variant
  const isCompared = cases.some(({ verdict }) => verdict !== undefined)
  return html`<h2>${variant.model ?? 'Cases'} ${statusMarkup(caseStatus(totals))}</h2>
    <p>${totalsText(totals)}</p>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th>Case</th>
            <th>Passed</th>
            <th>Rate (95 %)</th>
            <th>Errors</th>
            <th>Cost</th>
            <th>Time</th>
            ${isCompared ? html`<th>Verdict</th>` : undefined}
          </tr>
        </thead>
        <tbody>
          ${cases.map(({ report, anchor, verdict }) => {
            const { id, totals: own } = report
            const { cost, durationMs } = own.usage
            return html`<tr>
              <td><a href="#${anchor}">${id}</a></td>
              <td class="${caseStatus(own)}">${passedText(own)}</td>
              <td>${rateText(own)}</td>
              <td>${own.errors}</td>
              <td>${cost === null ? '–' : formatCost(cost)}</td>
              <td>${formatDuration(durationMs)}</td>
              ${isCompared ? html`<td class="${verdict ?? ''}">${verdict ?? ''}</td>` : undefined}
            </tr>`
          })}
        </tbody>
      </table>
    </div>`
}
