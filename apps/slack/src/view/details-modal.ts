import type { KnownBlock, ModalView } from '@slack/types'
import {
  formatCost,
  formatDuration,
  formatTokens,
  toRows,
  type TimelineRow,
  type TimelineRun,
  type Timeline,
} from '@troupe/timeline'
import { cutText, oneLine, plainMrkdwn, escapeSlack } from './slack-text.ts'
import type { TextRedactor } from './hide-chunks.ts'

/** Slack allows 100 blocks in a modal. The last one counts the rows that are left out. */
const MAX_ROWS = 98
const SECTION = 3000

/** Returns a modal with the run tree: the input, activity or answer, duration and usage of each run. */
export function detailsModal(timeline: Timeline, hide: TextRedactor): ModalView {
  const rows = toRows(timeline)
  const shown = rows.slice(0, MAX_ROWS).map((row) => section(hide(rowText(row))))
  const rest = rows.length - shown.length
  const blocks = rest > 0 ? [...shown, section(`… and ${rest} more`)] : shown
  return {
    type: 'modal',
    title: { type: 'plain_text', text: 'Details' },
    close: { type: 'plain_text', text: 'Close' },
    blocks: blocks.length > 0 ? blocks : [section('Nothing has happened yet.')],
  }
}

function rowText(row: TimelineRow): string {
  const indent = '\u2003'.repeat(row.indent)
  if (row.kind === 'more')
    return `${indent}… ${row.count} more, ${row.done} done, ${row.failed} failed, ${row.cancelled} stopped`
  if (row.kind === 'queued')
    return `${indent}:hourglass: *${name(row.call.childInstance ?? row.call.toolName)}* waits`
  return runText(row.run, indent)
}

function runText(run: TimelineRun, indent: string): string {
  const facts = [
    run.durationMs === undefined ? undefined : formatDuration(run.durationMs),
    `${formatTokens(run.usage.input + run.usage.output)} tokens`,
    run.usage.unpriced > 0 ? undefined : formatCost(run.usage.micros / 1_000_000),
  ].filter((fact) => fact !== undefined)
  const summary = run.error?.message ?? (run.state === 'done' ? run.text : run.activity)
  const calls = run.calls
    .filter(({ childInstance }) => childInstance === undefined)
    .map(({ toolName, outcome, state }) => `\`${name(toolName)}\` ${outcome ?? state}`)
    .slice(0, 10)
  return [
    `${indent}${markOf(run)} *${name(run.instance)}*  ${facts.join(' · ')}`,
    `${indent}> ${words(run.input)}`,
    ...(calls.length === 0 ? [] : [`${indent}${calls.join(', ')}`]),
    ...(summary === '' ? [] : [`${indent}${words(summary)}`]),
  ].join('\n')
}

function markOf({ state, outcome }: TimelineRun): string {
  if (state !== 'done') return state === 'waiting' ? ':raised_hand:' : ':hourglass_flowing_sand:'
  return outcome === 'completed' ? ':white_check_mark:' : outcome === 'partial' ? ':warning:' : ':x:'
}

function name(text: string): string {
  return plainMrkdwn(text, 100)
}

function words(text: string): string {
  return escapeSlack(oneLine(text, 400), { atLineStart: false })
}

function section(text: string): KnownBlock {
  return { type: 'section', text: { type: 'mrkdwn', text: cutText(text, SECTION) } }
}
