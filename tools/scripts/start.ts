/** Builds the command line and runs the New York / London team. The output of the build goes to stderr, the answer to stdout. */
import { spawnSync } from 'node:child_process'
import path from 'node:path'

const root = path.join(import.meta.dirname, '../..')
const env = { ...process.env, TURBO_TELEMETRY_DISABLED: '1' }
const build = spawnSync('turbo', ['run', 'build', '--output-logs=errors-only'], {
  cwd: root,
  env,
  stdio: ['ignore', 2, 2],
})
if (build.status !== 0) process.exit(build.status ?? 1)
const question = 'What time is it in New York and London?'
const bin = path.join(root, 'apps/cli/dist/bin.js')
const run = spawnSync(process.execPath, [bin, 'run', 'examples/new-york-london', question], {
  cwd: root,
  stdio: 'inherit',
})
process.exit(run.status ?? 1)
