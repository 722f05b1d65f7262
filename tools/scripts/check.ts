/**
 * What a contributor runs after a change: everything static over the whole repository, then the tests that the change can reach.
 * `--slow` adds those of them that start programs or take seconds. `pnpm test` runs every test.
 */
import path from 'node:path'
import { parseArgs } from 'node:util'
import { changedFiles } from '@troupe/tooling/check/changed-files'
import { runStep } from '@troupe/tooling/check/run-step'
import { runTests } from '@troupe/tooling/check/run-tests'

const { slow = false } = parseArgs({ options: { slow: { type: 'boolean' } } }).values
const root = path.join(import.meta.dirname, '../..')
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
