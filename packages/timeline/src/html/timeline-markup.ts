import { hasAnswer, type RunEvent } from '@troupe/schema'
import { formatDuration } from '../format.ts'
import { plainText } from '../plain-text.ts'
import { html, type Markup } from './markup.ts'
import { MAX_LEVEL } from './page-style.ts'
import { runTimeline, type TimelineStep } from './run-timeline.ts'

/** Default maximum number of characters of one input or output. */
const MAX_TEXT = 4000
/** Number of characters of the input in the row of a step. */
const SUMMARY_LENGTH = 80
/** Width of the bars in their own unit, and the smallest width that can be seen. */
const BAR = { width: 1000, min: 4 }

/** Options of {@link timelineMarkup}. */
export interface TimelineMarkupOptions {
  /** Maximum number of characters of one input or output. Default: 4000. */
  readonly maxText?: number
}

interface StepOptions {
  readonly start: number
  readonly end: number
  readonly maxText: number
}

/** Shows the timeline of a run as a list: agents, turns and tools, with a bar for the time of each. */
export function timelineMarkup(
  events: readonly RunEvent[],
  { maxText = MAX_TEXT }: TimelineMarkupOptions = {},
): Markup {
  const steps = runTimeline(events)
  const start = steps.reduce((earliest, { from }) => Math.min(earliest, from), Infinity)
  const end = steps.reduce((latest, { to }) => Math.max(latest, to), 0)
  return html`<ol class="timeline" aria-label="Timeline">
    ${steps.map((step) => stepMarkup(step, { start, end, maxText }))}
  </ol>`
}

function stepMarkup(step: TimelineStep, options: StepOptions): Markup {
  const { level, label, from, to, outcome, input, output } = step
  const className = `level-${Math.min(level, MAX_LEVEL)}`
  const isFailure = outcome !== undefined && !hasAnswer(outcome)
  const failed = isFailure ? html` data-failed` : undefined
  const summary = input === undefined || step.kind === 'turn' ? '' : plainText(input, { max: SUMMARY_LENGTH })
  const row = html`<span class="label"
      >${label}${isFailure ? html` <strong class="failed">${outcome}</strong>` : undefined}${
        summary === '' ? undefined : html` <span class="muted">${summary}</span>`
      }</span
    ><span class="time">${formatDuration(to - from)}</span>${barMarkup(step, options)}`
  if (input === undefined && output === undefined)
    return html`<li class="${className}" ${failed}><div class="step">${row}</div></li>`
  return html`<li class="${className}" ${failed}>
    <details>
      <summary class="step">${row}</summary>
      ${textMarkup('Input', input, options.maxText)}${textMarkup('Output', output, options.maxText)}
    </details>
  </li>`
}

/** Shows a text with a heading; nothing if it is empty. */
export function textMarkup(title: string, text = '', max: number = MAX_TEXT): Markup | undefined {
  if (text === '') return undefined
  return html`<p class="muted">${title}</p>
    <pre>${plainText(text, { max, lines: true })}</pre>`
}

/** Draws a bar. Its position is an attribute, because the policy of the page allows no style attributes. */
function barMarkup(
  { kind, from, to }: TimelineStep,
  { start, end }: Pick<StepOptions, 'start' | 'end'>,
): Markup {
  const unit = BAR.width / Math.max(1, end - start)
  const width = Math.max(BAR.min, (to - from) * unit)
  const x = Math.min((from - start) * unit, BAR.width - width)
  return html`<svg class="bar" viewBox="0 0 ${BAR.width} 10" preserveAspectRatio="none" aria-hidden="true">
    <rect class="bar-${kind}" x="${x.toFixed(1)}" y="0" width="${width.toFixed(1)}" height="10" />
  </svg>`
}
