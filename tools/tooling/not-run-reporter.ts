import type { Reporter, TestModule } from 'vitest/node'
import { openIds, type FinishedTest } from './check/not-run.ts'

/** Stands in the name of a test that cannot run on this machine, for instance because there is no browser. */
const NOTE = /NOT RUN: (?<reason>[^>\n]+?)(?: > |$)/u

/** Prints at the end of a run which tests this machine could not run, and the requirement ids that they leave open. */
export default class NotRunReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const all = modules.flatMap(testsOf)
    const notRun = all.filter(({ name, passed }) => !passed && NOTE.test(name))
    if (notRun.length === 0) return
    const reasons = new Set(notRun.map(({ name }) => NOTE.exec(name)?.groups?.['reason'] ?? ''))
    console.log(`NOT RUN: ${notRun.length} tests (${[...reasons].join('; ')})`)
    const ids = openIds(notRun, all)
    if (ids.length > 0) console.log(`Left open by that: ${ids.join(', ')}`)
  }
}

function testsOf(module: TestModule): readonly FinishedTest[] {
  return Array.from(module.children.allTests(), (test) => ({
    name: test.fullName,
    passed: test.result().state === 'passed',
  }))
}
