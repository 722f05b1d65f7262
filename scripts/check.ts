/**
 * What a contributor runs after a change: everything static over the whole repository, then the tests that the change can reach.
 * `--slow` adds those of them that start programs or take seconds. `pnpm test` runs every test.
 */
import path from 'node:path'
import { parseArgs } from 'node:util'
import { changedFiles } from './check/changed-files.ts'
import { runStep } from './check/run-step.ts'
import { runTests } from './check/run-tests.ts'

const { slow = false } = parseArgs({ options: { slow: { type: 'boolean' } } }).values
const root = path.join(import.meta.dirname, '..')
const started = performance.now()

runStep(root, 'format', ['oxfmt', '--check', '.'])
runStep(root, 'lint', ['oxlint', '--deny-warnings'])
runStep(root, 'layers', ['turbo', 'boundaries'])
runStep(root, 'types', ['tsc', '-p', '.'], ['tsc', '-p', 'apps/web'])
console.log('\n== tests')
const passed = await runTests(root, { changed: changedFiles(root), slow })
console.log(
  `\n${passed ? 'All of it passed' : 'Tests failed'}, ${((performance.now() - started) / 1000).toFixed(0)} s`,
)
process.exit(passed ? 0 : 1)
