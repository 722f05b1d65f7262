/**
 * Runs the New York / London team from the sources, without a build. Progress goes to stderr, the answer to
 * stdout.
 */
import { spawnSync } from 'node:child_process'
import path from 'node:path'

const root = path.join(import.meta.dirname, '../..')
const question = 'What time is it in New York and London?'
const run = spawnSync(
  process.execPath,
  ['--conditions=@troupe/source', 'apps/cli/src/bin.ts', 'run', 'examples/new-york-london', question],
  { cwd: root, stdio: 'inherit' },
)
process.exit(run.status ?? 1)
