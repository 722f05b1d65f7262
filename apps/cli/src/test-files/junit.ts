import type { TestFileOutcome } from './run-test-file.ts'

/** The outcome of one test file, with its path relative to the working folder. */
export interface TestFileResult extends TestFileOutcome {
  readonly file: string
}

/** Formats results as JUnit XML: a suite for each file, and an error for a file whose tests could not run. */
export function formatTestJunit(files: readonly TestFileResult[]): string {
  const suites = files.map((file) => suite(file)).join('')
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${totals(files)}>\n${suites}</testsuites>\n`
}

function totals(files: readonly TestFileResult[]): string {
  const tests = files.flatMap((file) => file.tests)
  const errors = files.filter(({ problems }) => problems.length > 0).length
  return attributes({
    tests: tests.length + errors,
    failures: tests.filter(({ failures }) => failures.length > 0).length,
    errors,
    time: seconds(tests.reduce((sum, { durationMs }) => sum + durationMs, 0)),
  })
}

function suite(result: TestFileResult): string {
  const { file, tests, problems } = result
  const [first] = problems
  const error =
    first === undefined
      ? ''
      : testCase(
          { name: file, classname: file, file, line: first.line },
          element('error', first.message, problems.map(({ message }) => message).join('\n')),
        )
  const cases = tests.map(({ name, line, failures, run, durationMs }) =>
    testCase(
      { name, classname: file, file, line, time: seconds(durationMs) },
      failures
        .map((failure) =>
          element('failure', failure.message, [locationText(file, failure), run ?? ''].join('\n')),
        )
        .join(''),
    ),
  )
  return `  <testsuite${attributes({ name: file })}${totals([result])}>\n${error}${cases.join('')}  </testsuite>\n`
}

function locationText(
  file: string,
  { line, column }: { readonly line?: number; readonly column?: number },
): string {
  return [file, line, column].filter((part) => part !== undefined).join(':')
}

function testCase(values: XmlAttributes, content: string): string {
  const open = `    <testcase${attributes(values)}`
  return content === '' ? `${open}/>\n` : `${open}>\n${content}    </testcase>\n`
}

function element(name: string, message: string, text: string): string {
  return `      <${name}${attributes({ message })}>${escape(text)}</${name}>\n`
}

type XmlAttributes = Readonly<Record<string, string | number | undefined>>

function attributes(values: XmlAttributes): string {
  return Object.entries(values)
    .map(([name, value]) => (value === undefined ? '' : ` ${name}="${escape(String(value))}"`))
    .join('')
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3)
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
/** Characters that XML 1.0 does not allow, even as references. */
const NOT_ALLOWED = /[^\P{Cc}\t\n\r]|[\uFFFE\uFFFF]/gu

function escape(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(NOT_ALLOWED, '')
    .replaceAll(/[&<>"]/gu, (character) => ENTITIES[character] ?? character)
}
