import { hasAnswer, type RunEvent, type Usage } from '@troupe/schema'
import { accountsOf, type AgentAccount } from '../accounts.ts'
import { failureText } from '../event-text.ts'
import { formatCost, formatDuration, formatTokens } from '../format.ts'
import { plainText } from '../plain-text.ts'
import { reduceTimeline } from '../reduce.ts'
import { emptyTimeline, type TimelineRun } from '../view.ts'
import { html, type Markup } from './markup.ts'
import { PAGE_STYLE } from './page-style.ts'
import { htmlPage } from './page.ts'
import { RUN_PAGE_SCRIPT } from './run-page-script.ts'
import { textMarkup, timelineMarkup } from './timeline-markup.ts'

/** Maximum number of characters of one input, result or answer. */
const MAX_TEXT = 50_000
/** Maximum number of characters of the input in the title. */
const MAX_TITLE = 80

/**
 * Formats a run as one HTML file that needs no server and sends no requests: input, answer, usage by agent, and the
 * timeline with all calls. `events` are those of the whole run tree; an empty list throws a `TypeError`.
 */
export function formatRunHtml(events: readonly RunEvent[]): string {
  const [root] = events.reduce(reduceTimeline, emptyTimeline()).runs
  if (root === undefined) throw new TypeError('A run without events cannot be shown.')
  const { byAgent, total } = accountsOf(events)
  const end = events.at(-1)?.time ?? root.startedAt
  return htmlPage({
    title: `${root.agent}: ${plainText(root.input, { max: MAX_TITLE })}`,
    style: PAGE_STYLE,
    script: RUN_PAGE_SCRIPT,
    body: html`${headMarkup(root, { total, end })} ${textMarkup('Input', root.input, MAX_TEXT)}
      ${textMarkup('Answer', root.text, MAX_TEXT)} ${usageMarkup(byAgent, total)}
      <h2>Timeline</h2>
      <div id="controls" hidden>
        <input id="search" type="search" placeholder="Search steps" aria-label="Search steps" />
        <label><input id="failed-only" type="checkbox" /> Failed only</label>
        <button id="open-all" type="button" aria-pressed="false">Open all</button>
        <span id="count" class="muted" role="status"></span>
      </div>
      ${timelineMarkup(events, { maxText: MAX_TEXT })}`,
  })
}

function headMarkup(
  run: TimelineRun,
  { total, end }: { readonly total: Usage; readonly end: number },
): Markup {
  const { agent, runId, state, outcome, error, startedAt, durationMs = end - startedAt, model } = run
  const status = outcome ?? state
  const hasFailed = outcome !== undefined && !hasAnswer(outcome)
  const facts = [
    new Date(startedAt).toISOString(),
    formatDuration(durationMs),
    `${formatTokens(total.input)} tokens in, ${formatTokens(total.output)} out`,
    costText(total),
    model,
    runId,
  ]
  return html`<h1>${agent} <span class="${hasFailed ? 'failed' : 'passed'}">${status}</span></h1>
    <p class="muted">${facts.join(' · ')}</p>
    ${error === undefined ? undefined : html`<p class="failed">${failureText(error)}</p>`}`
}

function usageMarkup(agents: readonly AgentAccount[], total: Usage): Markup {
  return html`<h2>Usage</h2>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th>Agent</th>
            <th>Runs</th>
            <th>Model calls</th>
            <th>Tool calls</th>
            <th>Tokens in</th>
            <th>Out</th>
            <th>Cost</th>
            <th>Time</th>
          </tr>
        </thead>
        <tbody>
          ${agents.map(({ agent, runs, usage, durationMs }) =>
            usageRow({ name: agent, runs, usage, time: formatDuration(durationMs) }),
          )}
          ${usageRow({
            name: 'total',
            runs: agents.reduce((sum, { runs }) => sum + runs, 0),
            usage: total,
            time: '',
          })}
        </tbody>
      </table>
    </div>`
}

function usageRow({
  name,
  runs,
  usage,
  time,
}: {
  readonly name: string
  readonly runs: number
  readonly usage: Usage
  readonly time: string
}): Markup {
  return html`<tr>
    <td>${name}</td>
    <td>${runs}</td>
    <td>${usage.modelCalls}</td>
    <td>${usage.toolCalls}</td>
    <td>${formatTokens(usage.input)}</td>
    <td>${formatTokens(usage.output)}</td>
    <td>${costText(usage)}</td>
    <td>${time}</td>
  </tr>`
}

function costText({ micros, unpriced }: Usage): string {
  return formatCost(unpriced > 0 ? null : micros / 1_000_000)
}
