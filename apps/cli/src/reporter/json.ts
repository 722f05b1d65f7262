import type { Failure, RunReport } from '@troupe/schema'
import type { Output } from '../terminal/terminal.ts'

/** The object of `--json`, for every outcome. */
export function printReport(report: RunReport, output: Output): void {
  output.write(`${JSON.stringify(report, null, 2)}\n`)
}

/** The object of `--json` where no run could start: its outcome and its error. */
export function printRefusal(error: Failure, output: Output): void {
  output.write(`${JSON.stringify({ outcome: 'failed', error }, null, 2)}\n`)
}
