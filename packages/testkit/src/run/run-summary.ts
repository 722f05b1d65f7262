import type { RunReport } from '@troupe/schema'
import type { PartialRun } from './tested-run.ts'
import { requestedCalls } from './tool-calls.ts'

const MAX_TEXT = 500
const MAX_ARGS = 200
const MAX_LISTED = 20

/** Describes a run in a few lines, for the message of a failed expectation. */
export function runSummary({ report, events }: PartialRun): string {
  const { agent, outcome, error, problems, problemCount } = report
  const calls = events === undefined ? undefined : requestedCalls(events)
  const text = answerText(report)
  return [
    `agent: ${agent}`,
    `outcome: ${outcome}${error === undefined ? '' : ` (${error.code}: ${cut(error.message, MAX_TEXT)})`}`,
    `answer: ${text === '' ? 'none' : cut(JSON.stringify(text), MAX_TEXT)}`,
    ...(calls === undefined
      ? []
      : list(
          'calls',
          calls.map(
            ({ instance, tool, args }) => `${instance}: ${tool} ${cut(JSON.stringify(args), MAX_ARGS)}`,
          ),
          calls.length,
        )),
    ...(problemCount === 0
      ? []
      : list(
          'problems',
          problems.map(({ instance, tool, code, message }) =>
            [`${instance}:`, ...(tool === undefined ? [] : [tool]), code, cut(message, MAX_ARGS)].join(' '),
          ),
          problemCount,
        )),
  ].join('\n')
}

/** Returns the text of the answer, which is JSON text for a JSON answer without text. */
export function answerText({ output: { text, value } }: Pick<RunReport, 'output'>): string {
  return text ?? (value === undefined ? '' : JSON.stringify(value))
}

function list(title: string, items: readonly string[], count: number): readonly string[] {
  if (count === 0) return [`${title}: none`]
  const shown = items.slice(0, MAX_LISTED)
  const rest = count - shown.length
  return [`${title}:`, ...shown.map((item) => `  ${item}`), ...(rest === 0 ? [] : [`  and ${rest} more`])]
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`
}
