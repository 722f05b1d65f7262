import {
  contentText,
  formatDuration,
  historyOf,
  plainText,
  type CallView,
  type HistoryCall,
  type HistoryRun,
  type Timeline,
} from '@troupe/timeline'
import type { Style } from '../style.ts'
import { OUTCOME_LOOKS } from './outcomes.ts'

/** Longest text of a section in characters. */
const SECTION = 2000

/**
 * What every run called and what came back, call by call: a `tool->` and a `result->` section each (A79), what a child did for
 * its call between the two (A92). Parallel children, whose lines came in turns, stand one after the other.
 */
export function historyLines(timeline: Timeline, style: Style): readonly string[] {
  return historyOf(timeline).flatMap((run) => runLines(run, { indent: 0, style }))
}

interface Place {
  readonly indent: number
  readonly style: Style
}

function runLines({ run, calls }: HistoryRun, { indent, style }: Place): readonly string[] {
  const name = style.bold(plainText(run.instance))
  const head = `${name}  ${endOf(run, style)}`
  return [line(indent, head), ...calls.flatMap((call) => callLines(call, { indent: indent + 1, style }))]
}

function callLines({ call, label, runs }: HistoryCall, { indent, style }: Place): readonly string[] {
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
  if (error !== undefined) return `: ${text(`${error.code}: ${error.message}`)}`
  return content === undefined ? '' : `: ${text(contentText(content))}`
}

function text(value: string): string {
  return plainText(value, { max: SECTION })
}

function line(indent: number, content: string): string {
  return `${'  '.repeat(indent)}${content}`
}
