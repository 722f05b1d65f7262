import type { Failure, RunReport } from '@troupe/schema'
import type { Output } from '../terminal/terminal.ts'

/** Prints the report of `--json`, for every outcome. */
export function printReport(report: RunReport, output: Output): void {
  output.write(`${JSON.stringify(report, null, 2)}\n`)
}

/** Prints the object of `--json` for a run that could not start: its outcome and error. */
export function printRefusal(error: Failure, output: Output): void {
  output.write(`${JSON.stringify({ outcome: 'failed', error }, null, 2)}\n`)
}
