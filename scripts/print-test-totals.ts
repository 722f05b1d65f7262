/** Prints the totals of the last test run as one plain line, from the JSON report that a run under CI writes. */
import { readFileSync } from 'node:fs'
import path from 'node:path'

interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
}

const file = path.join(import.meta.dirname, '../coverage/test-report.json')
const report = JSON.parse(readFileSync(file, 'utf8')) as Report
console.log(
  `${report.numPassedTests} passed, ${report.numFailedTests} failed, ${report.numPendingTests} skipped`,
)
