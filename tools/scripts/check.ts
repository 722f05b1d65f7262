/**
 * Checks a change: formatting, lint, structure and types of the whole repository, then the tests that the change can reach. `--slow`
 * includes tests that start programs or take seconds. `pnpm test` runs every test.
 */
import path from 'node:path'
import { parseArgs } from 'node:util'
import { changedFiles } from '@troupe/tooling/check/changed-files'
import { runStep, type CheckStep } from '@troupe/tooling/check/run-step'
import { runTests } from '@troupe/tooling/check/run-tests'

const { slow = false } = parseArgs({ options: { slow: { type: 'boolean' } } }).values
const root = path.join(import.meta.dirname, '../..')
const started = performance.now()

const steps: readonly CheckStep[] = [
  { name: 'format', command: ['oxfmt', '--check', '.'] },
  { name: 'lint', command: ['oxlint', '--deny-warnings'] },
  { name: 'structure', command: ['node', 'tools/scripts/check-structure.ts'] },
  { name: 'layers', command: ['turbo', 'boundaries'] },
  { name: 'types', command: ['tsc', '-p', '.'] },
  { name: 'types of the page', command: ['tsc', '-p', 'apps/web'] },
]
const results = await Promise.all(steps.map((step) => runStep(root, step)))
if (results.includes(false)) process.exit(1)
console.log('\n== tests')
const passed = await runTests(root, { changed: changedFiles(root), slow })
console.log(
  `\n${passed ? 'All checks passed' : 'Tests failed'}, ${((performance.now() - started) / 1000).toFixed(0)} s`,
)
process.exit(passed ? 0 : 1)
