import type { Failure } from '@troupe/schema'
import { logRecord, plainText, type LogLevel } from '@troupe/timeline'
import type { Notes, Output } from '../terminal/terminal.ts'
import type { Reporter } from './reporter.ts'

const MESSAGE = 500
const VERBOSE_MESSAGE = 4000

/** Log record that is not about a run event, such as the output of a card function. */
interface ProgramRecord {
  readonly time: string
  readonly level: LogLevel
  readonly message: string
  readonly event: 'print' | 'problem' | 'refusal'
  readonly error_code?: string
  readonly remediation?: string
}

/**
 * Creates a reporter that prints one JSON object per notable event, and per line that card functions print.
 * `verbose` allows longer messages.
 */
export function createRecordReporter(
  output: Output,
  { verbose, notes, now }: { readonly verbose: boolean; readonly notes: Notes; readonly now: () => number },
): Reporter {
  const max = verbose ? VERBOSE_MESSAGE : MESSAGE
  const restore = notes.divert((text) => {
    for (const message of text.split('\n')) {
      if (message !== '')
        writeRecord(output, programRecord('print', { message: plainText(message, { max }) }, now))
    }
  })
  return {
    onEvent: (event) => {
      const record = logRecord(event, { max })
      if (record !== undefined) writeRecord(output, record)
    },
    pause: (work) => work(),
    end: restore,
  }
}

/** Creates a record of a failure before or outside a run. */
export function failureRecord(
  event: 'problem' | 'refusal',
  {
    message,
    code,
    remediation,
    level = 'error',
  }: Pick<Failure, 'message' | 'code'> & {
    readonly remediation?: string
    readonly level?: LogLevel
  },
  now: () => number,
): ProgramRecord {
  return {
    ...programRecord(event, { message: plainText(message), level }, now),
    error_code: code,
    ...(remediation === undefined || remediation === '' ? {} : { remediation: plainText(remediation) }),
  }
}

export function writeRecord(output: Output, record: object): void {
  output.write(`${JSON.stringify(record)}\n`)
}

/** Creates a record that is not about a run event. */
export function programRecord(
  event: ProgramRecord['event'],
  { message, level = 'info' }: { readonly message: string; readonly level?: LogLevel },
  now: () => number,
): ProgramRecord {
  return { time: new Date(now()).toISOString(), level, message, event }
}
