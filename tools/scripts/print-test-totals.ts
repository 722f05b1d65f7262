/**
 * Prints the totals of the last test run as one plain line, a line for each test that did not run, and the requirement ids
 * that those leave open, from the JSON report that a run under CI writes.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { openIds } from '../tooling/check/not-run.ts'

interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
  }[]
}

const file = path.join(import.meta.dirname, '../../coverage/test-report.json')
const report = JSON.parse(readFileSync(file, 'utf8')) as Report
console.log(
  `${report.numPassedTests} passed, ${report.numFailedTests} failed, ${report.numPendingTests} skipped`,
)

const all = report.testResults
  .flatMap(({ assertionResults }) => assertionResults)
  .map(({ status, fullName }) => ({ name: fullName, status, passed: status === 'passed' }))
const notRun = all.filter(({ status }) => status !== 'passed' && status !== 'failed')
for (const { name } of notRun) console.log(`NOT RUN: ${name}`)
const open = openIds(notRun, all)
console.log(open.length === 0 ? 'No requirement is left open.' : `Left open: ${open.join(', ')}`)
