import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { toFailure } from '@troupe/schema'
import { plainText } from '@troupe/timeline'
import { parseVariables } from '../input/option-values.ts'
import { problemLines, shortPath } from '../reporter/plan-problems.ts'
import { countText } from '../reporter/table.ts'
import type { CommandContext } from '../terminal/context.ts'
import { EXIT } from '../terminal/exit-code.ts'
import { findTestFiles } from '../test-files/find-test-files.ts'
import { formatTestJunit, type TestFileResult } from '../test-files/junit.ts'
import { readTestFile } from '../test-files/read-test-file.ts'
import { runTestFile, type TestResult } from '../test-files/run-test-file.ts'

/** Options of `troupe test`. */
export interface TestOptions {
  readonly env?: readonly string[]
  readonly json?: boolean
  /** File to write the results to, as JUnit XML. */
  readonly junit?: string
}

/**
 * Runs `troupe test [paths…]`: runs the tests of all test files and prints a line for each. Returns 2 if a file or
 * its team has errors, else 3 if a test failed.
 */
export async function testCommand(
  paths: readonly string[],
  options: TestOptions,
  context: CommandContext,
): Promise<number> {
  const { terminal, cwd } = context
  const results: TestFileResult[] = []
  for (const path of findTestFiles(paths.length === 0 ? ['.'] : paths, cwd)) {
    const result = await runFile(path, options, context)
    results.push(result)
    if (options.json !== true) printResult(result, context)
    if (context.stop.exitCode !== undefined) return context.stop.exitCode
  }
  if (options.junit !== undefined) {
    const file = resolve(cwd, options.junit)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, formatTestJunit(results))
  }
  const summary = summaryOf(results)
  terminal.stdout.write(
    options.json === true
      ? `${JSON.stringify({ ...summary, files: results }, null, 2)}\n`
      : summaryLine(summary),
  )
  if (summary.errors > 0) return EXIT.usage
  return summary.failed > 0 ? EXIT.partial : EXIT.completed
}

async function runFile(path: string, options: TestOptions, context: CommandContext): Promise<TestFileResult> {
  const file = shortPath(path, context.cwd)
  const read = readTestFile(path)
  if ('problems' in read) return { file, tests: [], problems: read.problems }
  let forget = (): void => undefined
  try {
    const outcome = await runTestFile(read, {
      env: baseEnvironment(context.env),
      envOverrides: parseVariables(options.env ?? []),
      clock: context.clock,
      signal: context.stop.signal,
      beforeCode: () => context.beforeCardCode(),
      onHost(host) {
        context.terminal.secrets.add(host.redact)
        forget = context.atExit(() => host.kill())
      },
    })
    return { file, ...outcome }
  } catch (thrown) {
    const { code, message, remediation } = toFailure(thrown)
    return { file, tests: [], problems: [{ severity: 'error', code, message, file: path, fix: remediation }] }
  } finally {
    forget()
  }
}

/** Variables that programs need to start. Everything else, keys above all, is left out. */
const BASE_VARIABLES: readonly string[] = [
  'PATH',
  'HOME',
  'USER',
  'LANG',
  'TZ',
  'TMPDIR',
  'TEMP',
  'TMP',
  'SystemRoot',
  'APPDATA',
  'LOCALAPPDATA',
  'PATHEXT',
  'COMSPEC',
]

function baseEnvironment(env: CommandContext['env']): CommandContext['env'] {
  return Object.fromEntries(
    BASE_VARIABLES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  )
}

function printResult({ file, tests, problems }: TestFileResult, { terminal, cwd }: CommandContext): void {
  const { stdout, outStyle } = terminal
  for (const line of problemLines(problems, { cwd, style: outStyle })) stdout.write(`${line}\n`)
  for (const test of tests) {
    const isPassed = test.failures.length === 0
    const mark = isPassed ? outStyle.green('passed') : outStyle.red('failed')
    stdout.write(`${mark}  ${locationOf(file, test)}  ${plainText(test.name)}\n`)
    for (const failure of test.failures)
      stdout.write(`  ${locationOf(file, failure)}  ${plainText(failure.message)}\n`)
    if (test.run !== undefined) stdout.write(`${plainText(test.run, { lines: true })}\n`)
  }
}

function locationOf(file: string, { line, column }: Pick<TestResult, 'line' | 'column'>): string {
  return [plainText(file), line, column].filter((part) => part !== undefined).join(':')
}

interface TestSummary {
  readonly passed: number
  readonly failed: number
  /** Number of files whose tests could not run. */
  readonly errors: number
}

function summaryOf(results: readonly TestFileResult[]): TestSummary {
  const tests = results.flatMap((result) => result.tests)
  const failed = tests.filter(({ failures }) => failures.length > 0).length
  return {
    passed: tests.length - failed,
    failed,
    errors: results.filter(({ problems }) => problems.length > 0).length,
  }
}

function summaryLine({ passed, failed, errors }: TestSummary): string {
  const broken = errors === 0 ? '' : `, ${countText(errors, 'file')} with errors`
  return `\n${countText(passed + failed, 'test')}: ${passed} passed, ${failed} failed${broken}\n`
}
