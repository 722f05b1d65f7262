/**
 * What a contributor runs after a change: everything static over the whole repository, then the tests that the change can reach.
 * `--slow` adds the slow tests it can reach, `--all` runs every test but those in a browser.
 */
import path from 'node:path'
import { parseArgs } from 'node:util'
import { changedFiles } from './check/changed-files.ts'
import { runStep } from './check/run-step.ts'
import { runTests } from './check/run-tests.ts'

const { values: options } = parseArgs({ options: { slow: { type: 'boolean' }, all: { type: 'boolean' } } })
const root = path.join(import.meta.dirname, '..')
const started = performance.now()

runStep(root, 'format', ['oxfmt', '--check', '.'])
runStep(root, 'lint', ['oxlint', '--deny-warnings'])
runStep(root, 'layers', ['turbo', 'boundaries'])
runStep(root, 'types', ['tsc', '-p', '.'], ['tsc', '-p', 'apps/web'])
console.log('\n== tests')
const green = await runTests(root, {
  changed: options.all === true ? undefined : changedFiles(root),
  slow: options.slow === true || options.all === true,
})
console.log(`\n${green ? 'All is well' : 'Some tests failed'} (${seconds(performance.now() - started)} s)`)
process.exit(green ? 0 : 1)

function seconds(ms: number): string {
  return (ms / 1000).toFixed(0)
}
