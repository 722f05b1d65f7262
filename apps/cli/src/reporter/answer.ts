import type { Outcome, RunOutput, RunReport } from '@troupe/schema'
import { plainText } from '@troupe/timeline'
import type { Output } from '../terminal/terminal.ts'
import { isWaiting } from './end.ts'

/** Outcomes whose text is an answer, or as much of one as there was time and money for. */
const WITH_TEXT: ReadonlySet<Outcome> = new Set(['completed', 'partial', 'cancelled', 'timeout', 'budget'])

/** The text of an answer; empty: there is none. JSON is written out. */
export function answerText({
  outcome,
  output,
  error,
}: Pick<RunReport, 'outcome' | 'output' | 'error'>): string {
  return WITH_TEXT.has(outcome) && !isWaiting({ error }) ? outputText(output) : ''
}

/** The same of an output alone. */
export function outputText({ value, text = '' }: RunOutput): string {
  return value === undefined ? text : JSON.stringify(value, null, 2)
}

/** Ends with a line break; a terminal gets no control characters. A line of `gap` stands before it. */
export function printAnswer(report: RunReport, stdout: Output, gap?: Output): void {
  const text = answerText(report)
  if (text === '') return
  gap?.write('\n')
  const shown = stdout.isTTY === true ? plainText(text, { lines: true }) : text
  stdout.write(shown.endsWith('\n') ? shown : `${shown}\n`)
}
