import { xmlElement, xmlSeconds, xmlText, type XmlAttributes } from '@troupe/timeline'
import type { TestFileOutcome } from './run-test-file.ts'

/** The outcome of one test file, with its path relative to the working folder. */
export interface TestFileResult extends TestFileOutcome {
  readonly file: string
}

/** Formats results as JUnit XML: a suite for each file, and an error for a file whose tests could not run. */
export function formatTestJunit(files: readonly TestFileResult[]): string {
  const suites = files.map((file) => `\n${suite(file)}`)
  return `<?xml version="1.0" encoding="UTF-8"?>\n${xmlElement('testsuites', totals(files), [...suites, '\n'])}\n`
}

function totals(files: readonly TestFileResult[]): XmlAttributes {
  const tests = files.flatMap((file) => file.tests)
  const errors = files.filter(({ problems }) => problems.length > 0).length
  return {
    tests: tests.length + errors,
    failures: tests.filter(({ failures }) => failures.length > 0).length,
    errors,
    time: xmlSeconds(tests.reduce((sum, { durationMs }) => sum + durationMs, 0)),
  }
}

function suite(result: TestFileResult): string {
  const { file, tests, problems } = result
  const [first] = problems
  const error =
    first === undefined
      ? []
      : [
          xmlElement('testcase', { name: file, classname: file, file, line: first.line }, [
            reason('error', first.message, problems.map(({ message }) => message).join('\n')),
          ]),
        ]
  const cases = tests.map(({ name, line, failures, run, durationMs }) =>
    xmlElement(
      'testcase',
      { name, classname: file, file, line, time: xmlSeconds(durationMs) },
      failures.map((failure) =>
        reason('failure', failure.message, [locationText(file, failure), run ?? ''].join('\n')),
      ),
    ),
  )
  const lines = [...error, ...cases].map((line) => `\n${line}`)
  return xmlElement('testsuite', { name: file, ...totals([result]) }, [...lines, '\n'])
}

function locationText(
  file: string,
  { line, column }: { readonly line?: number; readonly column?: number },
): string {
  return [file, line, column].filter((part) => part !== undefined).join(':')
}

function reason(name: 'error' | 'failure', message: string, text: string): string {
  return xmlElement(name, { message }, [xmlText(text)])
}
