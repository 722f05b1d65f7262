import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { EXAMPLE_RUNS, recordExample, recordingPath } from '../src/example-runs.ts'

for (const run of EXAMPLE_RUNS) {
  const { report, cassette } = await recordExample(run, { env: { PATH: process.env['PATH'] } })
  const file = recordingPath(run)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, cassette)
  process.stdout.write(`${run.recording}: ${report.outcome}\n`)
}
