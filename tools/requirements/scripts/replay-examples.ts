import { readFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { EXAMPLE_RUNS, recordingPath, replayExample } from '../src/example-runs.ts'

// run it with `--permission`, which also prevents new processes and threads
Socket.prototype.connect = () => {
  throw new Error('the network is cut')
}

for (const run of EXAMPLE_RUNS) {
  const events: string[] = []
  const report = await replayExample(run, readFileSync(recordingPath(run), 'utf8'), (event) => {
    events.push(event.type)
  })
  process.stdout.write(`${JSON.stringify({ recording: run.recording, report, events: events.length })}\n`)
}
