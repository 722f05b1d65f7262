import type { Outcome, RunOutput, RunReport, ContentPart } from '@troupe/schema'
import { plainText } from '@troupe/timeline'
import type { Output } from '../terminal/terminal.ts'
import { isWaiting } from './end.ts'

/** Outcomes whose text is a complete or partial answer. */
const WITH_TEXT: ReadonlySet<Outcome> = new Set(['completed', 'partial', 'cancelled', 'timeout', 'budget'])

/** Returns the text of an answer, or an empty string. JSON values are formatted. */
export function answerText({
  outcome,
  output,
  error,
}: Pick<RunReport, 'outcome' | 'output' | 'error'>): string {
  return WITH_TEXT.has(outcome) && !isWaiting({ error }) ? outputText(output) : ''
}

/** Returns the text of an output. JSON values are formatted. */
export function outputText({ value, text = '' }: RunOutput): string {
  return value === undefined ? text : JSON.stringify(value, null, 2)
}

/**
 * Prints the answer with a final line break, without control characters on a terminal. Writes an empty line
 * to `gap` before it.
 */
export function printAnswer(report: RunReport, stdout: Output, gap?: Output): void {
  const text = answerText(report)
  if (text === '') return
  gap?.write('\n')
  const shown = stdout.isTTY === true ? plainText(text, { lines: true }) : text
  stdout.write(shown.endsWith('\n') ? shown : `${shown}\n`)
}

/** Returns the placeholder for binary data where only text can be shown. */
export function dataNote({ mediaType, base64 }: Extract<ContentPart, { type: 'data' }>): string {
  return `[${plainText(mediaType, { max: 80 })}, ${base64.length} base64 digits; see --json]`
}
