import {
  contentText,
  failureText,
  formatDuration,
  historyOf,
  plainText,
  type CallView,
  type HistoryCall,
  type HistoryRun,
  type ShorteningView,
  type Timeline,
} from '@troupe/timeline'
import type { Style } from '../terminal/terminal.ts'
import { OUTCOME_LOOKS } from './outcomes.ts'

/** Maximum length of a section in characters. */
const SECTION = 2000

/**
 * Returns the calls of every run: one `tool->` and one `result->` section per call, with the child runs of
 * the call between them. Parallel child runs are listed one after the other.
 */
export function historyLines(timeline: Timeline, style: Style): readonly string[] {
  return historyOf(timeline).flatMap((run) => runLines(run, { indent: 0, style }))
}

interface HistoryFormat {
  readonly indent: number
  readonly style: Style
}

function runLines({ run, calls }: HistoryRun, { indent, style }: HistoryFormat): readonly string[] {
  const name = style.bold(plainText(run.instance))
  const head = `${name}  ${endOf(run, style)}`
  const format = { indent: indent + 1, style }
  const before = (turn: number, after = 0): readonly string[] =>
    run.shortenings
      .filter((shortening) => shortening.turn <= turn && shortening.turn > after)
      .map((shortening) => shorteningLine(shortening, format))
  const lines = calls.flatMap((call, index) => [
    ...before(call.call.turn, calls[index - 1]?.call.turn),
    ...callLines(call, format),
  ])
  return [line(indent, head), ...lines, ...before(Infinity, calls.at(-1)?.call.turn)]
}

/** Returns the line about messages that were removed from the context at this turn. */
function shorteningLine(
  { droppedMessages, trimmedResults, summary }: ShorteningView,
  { indent, style }: HistoryFormat,
): string {
  const what = [
    ...(droppedMessages === 0 ? [] : [`${droppedMessages} messages`]),
    ...(trimmedResults === 0 ? [] : [`${trimmedResults} results`]),
  ].join(' and ')
  const said = summary === undefined ? '' : `: ${text(summary)}`
  return line(indent, `${style.cyan('dropped->')} ${what}${said}`)
}

function callLines({ call, label, runs }: HistoryCall, { indent, style }: HistoryFormat): readonly string[] {
  const name = plainText(label)
  return [
    line(indent, `${style.cyan('tool->')} ${name} ${text(JSON.stringify(call.args))}`),
    ...runs.flatMap((run) => runLines(run, { indent: indent + 1, style })),
    line(indent, `${style.cyan('result->')} ${name} ${endOf(call, style)}${resultText(call)}`),
  ]
}

function endOf({ outcome, durationMs }: Pick<CallView, 'outcome' | 'durationMs'>, style: Style): string {
  if (outcome === undefined) return style.dim('not ended')
  const { word, color } = OUTCOME_LOOKS[outcome]
  const time = durationMs === undefined ? '' : style.dim(` (${formatDuration(durationMs)})`)
  return `${style[color](word)}${time}`
}

function resultText({ error, content }: CallView): string {
  if (error !== undefined) return `: ${text(failureText(error))}`
  return content === undefined ? '' : `: ${text(contentText(content))}`
}

function text(value: string): string {
  return plainText(value, { max: SECTION })
}

function line(indent: number, content: string): string {
  return `${'  '.repeat(indent)}${content}`
}
