import { readFile } from 'node:fs/promises'
import type { RunEvent, RunListener, RunReport } from '@troupe/schema'

/** A run that has ended, with its events. */
export interface TestedRun {
  /** The report of the run. */
  readonly report: RunReport
  /** The events of the run and of all runs below it, in order. */
  readonly events: readonly RunEvent[]
}

/** A run, possibly without its events. */
export type PartialRun = Pick<TestedRun, 'report'> & Partial<TestedRun>

/** Waits for the end of a run and collects its events: `collectRun(host.stream('librarian', 'Are you open?'))`. */
export async function collectRun(stream: AsyncIterator<RunEvent, RunReport>): Promise<TestedRun> {
  const events: RunEvent[] = []
  for (;;) {
    const next = await stream.next()
    if (next.done === true) return { report: next.value, events }
    events.push(next.value)
  }
}

/** The part of a host that replays recordings. */
export interface ReplayHost {
  /** Replays a recording and returns the report of the run. */
  replay(
    recording: string,
    options: { readonly file?: string; readonly onEvent?: RunListener },
  ): Promise<RunReport>
}

/**
 * Replays a recorded run with the current cards. No model, server or tool is called. The run fails with
 * `replay_mismatch` if anything differs from the recording. Rejects if the file is not a recording.
 */
export async function replayRun(host: ReplayHost, file: string): Promise<TestedRun> {
  const events: RunEvent[] = []
  const recording = await readFile(file, 'utf8')
  const report = await host.replay(recording, { file, onEvent: (event) => void events.push(event) })
  return { report, events }
}
