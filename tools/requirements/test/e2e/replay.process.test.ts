import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import type { RunEvent, RunReport } from '@troupe/schema'
import { recordEvents } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { EXAMPLE_RUNS, recordExample, recordingPath, replayExample } from '../../src/example-runs.ts'

const start = promisify(execFile)
const env = { PATH: process.env['PATH'] }
const TIMES: ReadonlySet<string> = new Set(['time', 'durationMs', 'activeMs', 'latencyMs', 'delayMs'])

/** Returns the stored events without their times. */
function lines(events: readonly RunEvent[]): readonly string[] {
  return events
    .filter((event) => event.seq !== undefined)
    .map((event) => JSON.stringify(event, (key, value: unknown) => (TIMES.has(key) ? 0 : value)))
}

describe('a recorded run of an example', () => {
  it('a recorded run of an example replays without environment, processes, threads and network', async () => {
    const script = path.join(import.meta.dirname, '../../scripts/replay-examples.ts')
    const cut = ['--permission', '--allow-fs-read=*', '--conditions=@troupe/source']
    const { stdout } = await start(process.execPath, [...cut, script], { env: {} })
    const reports = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly recording: string; readonly report: RunReport })
    expect(reports.map(({ recording }) => recording)).toEqual(EXAMPLE_RUNS.map(({ recording }) => recording))
    expect(reports.filter(({ report }) => report.outcome !== 'completed')).toEqual([])
  })

  it.each(EXAMPLE_RUNS)('a replay emits the recorded events with other times: $recording', async (run) => {
    const live = recordEvents()
    const { report, cassette } = await recordExample(run, { env, onEvent: live.listener })
    const again = recordEvents()
    const replayed = await replayExample(run, cassette, again.listener)
    expect(lines(again.events)).toEqual(lines(live.events))
    expect({ ...replayed, durationMs: 0, activeMs: 0 }).toEqual({ ...report, durationMs: 0, activeMs: 0 })
  })

  it('a replay of a changed recording reports the first difference', async () => {
    const [run] = EXAMPLE_RUNS
    if (run === undefined) throw new Error('there is no example')
    const recorded = readFileSync(recordingPath(run), 'utf8')
    const edited = recorded.replace(
      'content: Return the current time in London.',
      'content: Give the time in London.',
    )
    const { outcome, error } = await replayExample(run, edited)
    expect(outcome).toBe('failed')
    expect(error).toMatchObject({ code: 'replay_mismatch' })
    expect(error?.message).toMatch(
      /usage of turn 1 of the run \/1\.2, messages\[0\]\.content: recorded "Give/u,
    )
  })
})
