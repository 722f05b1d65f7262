import {
  countChildren,
  formatCost,
  formatDuration,
  formatTokens,
  type Timeline,
  type TimelineGroup,
  type TimelineRun,
} from '@troupe/timeline'
import type { Outcome } from '@troupe/schema'
import type { Style } from '../terminal/terminal.ts'
import { joinParts } from './join-parts.ts'
import type { PanelFrame } from './panel.ts'

const NOT_FAILED: ReadonlySet<Outcome> = new Set(['completed', 'partial', 'cancelled'])

/** Returns true if a run ended without an answer, and not because it was cancelled. */
export function hasFailed({ outcome }: TimelineRun): boolean {
  return outcome !== undefined && !NOT_FAILED.has(outcome)
}

/**
 * Returns one line about all child runs: ended, running, waiting and failed ones, cost and tokens of the whole
 * tree, and the time since the start. The keys come last. `undefined` with fewer than two children.
 */
export function sumLine(
  timeline: Timeline,
  { now, style, columns, view, keys = [] }: PanelFrame,
): string | undefined {
  const { running, waiting, queued, done, failed } = countChildren(timeline)
  const total = running + waiting + queued + done
  const [root] = timeline.runs
  if (root === undefined || total < 2) return undefined
  const sum = (field: 'input' | 'output' | 'micros'): number =>
    timeline.runs.reduce((amount, { usage }) => amount + usage[field], 0)
  const hasErrors = failed > 0 || view === 'errors'
  return joinParts(
    [
      { text: `${done}/${total} done` },
      { text: running === 0 ? '' : `${running} running`, dropOrder: 9 },
      { text: waiting === 0 ? '' : style.yellow(`${waiting} waiting`), dropOrder: 8 },
      { text: failed === 0 ? '' : style.red(`${failed} failed`), dropOrder: 7 },
      { text: sum('micros') === 0 ? '' : formatCost(sum('micros') / 1_000_000), dropOrder: 5 },
      { text: `${formatTokens(sum('input') + sum('output'))} tokens`, dropOrder: 1 },
      { text: elapsedText(root, now), dropOrder: 6 },
      {
        text: keys.includes('f') ? style.dim(view === 'unfolded' ? 'f fold' : 'f unfold') : '',
        dropOrder: 3,
      },
      {
        text: keys.includes('e') && hasErrors ? style.dim(view === 'errors' ? 'e all' : 'e errors') : '',
        dropOrder: 4,
      },
      { text: keys.includes('o') ? pageHint(style) : '', dropOrder: 2 },
    ],
    { width: columns - 1, style },
  )
}

/** Returns the key that opens the page of the run. */
export function pageHint(style: Style): string {
  return style.dim('o page')
}

/** Returns the numbers of children by state, the median time of the ended ones, and their cost. */
export function groupState(
  { runs, queued, micros }: TimelineGroup,
  { width, style }: { readonly width: number; readonly style: Style },
): string {
  const count = (test: (run: TimelineRun) => boolean): number => runs.filter(test).length
  const ended = runs.flatMap(({ durationMs }) => (durationMs === undefined ? [] : [durationMs]))
  const failed = count(hasFailed)
  const stopped = count(({ outcome }) => outcome === 'cancelled')
  const done = count(({ state }) => state === 'done') - failed - stopped
  const running = count(({ state }) => state === 'running')
  const waiting = count(({ state }) => state === 'waiting')
  return joinParts(
    [
      { text: done === 0 ? '' : style.green(`${done} ✓`), dropOrder: 7 },
      { text: failed === 0 ? '' : style.red(`${failed} ✗`) },
      { text: stopped === 0 ? '' : style.dim(`${stopped} ■`), dropOrder: 6 },
      { text: running === 0 ? '' : `${running} running`, dropOrder: 4 },
      { text: waiting === 0 ? '' : style.yellow(`${waiting} waiting`), dropOrder: 5 },
      { text: queued === 0 ? '' : style.dim(`${queued} queued`), dropOrder: 3 },
      { text: ended.length === 0 ? '' : style.dim(`median ${formatDuration(median(ended))}`), dropOrder: 1 },
      { text: micros === 0 ? '' : style.dim(formatCost(micros / 1_000_000)), dropOrder: 2 },
    ],
    { width, style },
  )
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

/** Returns the time since the start of a run, with tenths of the first second to keep the width stable. */
export function elapsedText({ startedAt }: TimelineRun, now: number): string {
  return formatElapsed(now - startedAt)
}

export function formatElapsed(ms: number): string {
  const elapsed = Math.max(0, ms)
  return elapsed < 1000 ? `${(Math.floor(elapsed / 100) / 10).toFixed(1)} s` : formatDuration(elapsed)
}
