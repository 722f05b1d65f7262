import { availableParallelism } from 'node:os'
import { createVitest } from 'vitest/node'
import { chooseTests, type TestChoice } from './choose-tests.ts'

export interface CheckedTests {
  /** Absolute paths; empty if nothing changed. */
  readonly changed: readonly string[]
  /** Includes tests that start programs or take seconds. */
  readonly slow: boolean
}

/** Runs the tests that the change can reach, except browser tests. Returns true if all of them passed. */
export async function runTests(root: string, { changed, slow }: CheckedTests): Promise<boolean> {
  const vitest = await createVitest({
    root,
    watch: false,
    project: ['!browser'],
    maxWorkers: availableParallelism(),
    silent: 'passed-only',
    ...(changed.length > 0 && { related: [...changed] }),
  })
  try {
    const choice = await chooseTests(vitest, changed, { slow })
    console.log(described(choice, changed.length))
    await vitest.standalone()
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications([...choice.chosen])
    return unhandledErrors.length === 0 && testModules.every((module) => module.ok())
  } finally {
    await vitest.close()
  }
}

function described({ chosen, left, total }: TestChoice, changes: number): string {
  const reached = changes === 1 ? 'what one changed file reaches' : `what ${changes} changed files reach`
  const why = changes === 0 ? 'the core, as no file differs from main' : reached
  const rest = left === 0 ? '' : `; ${left} slow ones are left to "pnpm check --slow"`
  return `${chosen.length} of ${total} test files: ${why}${rest}`
}
