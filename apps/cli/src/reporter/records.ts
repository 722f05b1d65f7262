import type { Failure } from '@troupe/schema'
import { logRecord, plainText, type LogLevel } from '@troupe/timeline'
import type { Notes } from '../tell/notes.ts'
import type { Output } from '../terminal/terminal.ts'
import type { Reporter } from './reporter.ts'

const MESSAGE = 500
const VERBOSE_MESSAGE = 4000

/** A record that stands for no event of a run, such as what a function prints. */
export interface ProgramRecord {
  readonly time: string
  readonly level: LogLevel
  readonly message: string
  readonly event: 'print' | 'problem' | 'refusal'
  readonly error_code?: string
  readonly remediation?: string
}

/** One JSON object a line on stderr for each event that is worth a line (A91), and for what functions print. `verbose` cuts messages later. */
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

/** What went wrong before or outside of a run, as a record. */
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

/** Prints a record as one line. */
export function writeRecord(output: Output, record: object): void {
  output.write(`${JSON.stringify(record)}\n`)
}

/** A record of what no event of a run says. */
export function programRecord(
  event: ProgramRecord['event'],
  { message, level = 'info' }: { readonly message: string; readonly level?: LogLevel },
  now: () => number,
): ProgramRecord {
  return { time: new Date(now()).toISOString(), level, message, event }
}
