/** Prints the totals of the last test run as one plain line, and a line for each test that did not run, from the JSON report that a run under CI writes. */
import { readFileSync } from 'node:fs'
import path from 'node:path'

interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
  }[]
}

const file = path.join(import.meta.dirname, '../coverage/test-report.json')
const report = JSON.parse(readFileSync(file, 'utf8')) as Report
console.log(
  `${report.numPassedTests} passed, ${report.numFailedTests} failed, ${report.numPendingTests} skipped`,
)

const notRun = report.testResults
  .flatMap(({ assertionResults }) => assertionResults)
  .filter(({ status }) => status !== 'passed' && status !== 'failed')
for (const { fullName } of notRun) console.log(`NOT RUN: ${fullName}`)
