import { join, relative, sep } from 'node:path'
import { createVitest, type TestModule } from 'vitest/node'

/** Vitest over a checkout, kept open so that unchanged modules are transformed once. */
export interface TestSession {
  /** Runs the tests of these files whose titles cite one of these ids. */
  run(files: readonly string[], ids: readonly string[]): Promise<SessionRun>
  /** Makes the next run read this file again. */
  invalidate(file: string): void
  close(): Promise<void>
}

/** The result of one run of a session. */
export interface SessionRun {
  readonly tests: readonly TestOutcome[]
  /** Errors outside of a test, such as a file that cannot be imported. */
  readonly errors: readonly string[]
}

/** The state of one test after a run. */
export interface TestOutcome {
  /** From the root of the checkout. */
  readonly file: string
  readonly title: string
  readonly state: 'passed' | 'failed' | 'skipped'
}

/** A test that does not end with a mutation fails after this time. */
const TIMEOUT_MS = 60_000

/** Opens a session over the repository or a copy of it. */
export async function openTestSession(
  root: string,
  { maxWorkers }: { readonly maxWorkers: number },
): Promise<TestSession> {
  const vitest = await createVitest({
    root,
    watch: false,
    maxWorkers,
    reporters: [{}],
    silent: true,
    testTimeout: TIMEOUT_MS,
  })
  await vitest.standalone()
  return {
    async run(files, ids) {
      vitest.setGlobalTestNamePattern(citationPattern(ids))
      const specifications = await vitest.globTestSpecifications(files.map((file) => join(root, file)))
      const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications)
      return {
        tests: testModules.flatMap((module) => outcomesOf(module, root)),
        errors: [...testModules.flatMap((module) => errorsOf(module, root)), ...unhandledErrors.map(String)],
      }
    },
    invalidate: (file) => vitest.invalidateFile(join(root, file)),
    close: () => vitest.close(),
  }
}

/** Matches the titles that cite one of the ids: `… [A36 A42]`. */
export function citationPattern(ids: readonly string[]): RegExp {
  return new RegExp(`\\[(?:[A-Z]\\d+ )*(?:${ids.join('|')})(?: [A-Z]\\d+)*\\]`, 'u')
}

function outcomesOf(module: TestModule, root: string): readonly TestOutcome[] {
  return Array.from(module.children.allTests(), (test) => {
    const { state } = test.result()
    return {
      file: fileOf(module, root),
      title: test.fullName,
      state: state === 'pending' ? 'skipped' : state,
    }
  })
}

function errorsOf(module: TestModule, root: string): readonly string[] {
  return module.errors().map(({ message }) => `${fileOf(module, root)}: ${message}`)
}

function fileOf({ moduleId }: TestModule, root: string): string {
  return relative(root, moduleId).replaceAll(sep, '/')
}
