import type { RunEvent } from '@troupe/schema'
import { sampleEvent } from '@troupe/testkit/internal'

/** Returns the events of a run whose turns are empty. Each event is one ms after the one before it. */
export function emptyRun({
  turns,
  run = 0,
  input = 'go',
}: {
  readonly turns: number
  /** Number of the run, for its id. */
  readonly run?: number
  readonly input?: string
}): readonly RunEvent[] {
  const runId = `run_${String(run + 1).padStart(32, '0')}`
  const base = { runId, rootRunId: runId }
  const events = [
    sampleEvent('run-start', { ...base, input, sessionId: runId }),
    ...Array.from({ length: turns }, (_, turn) => sampleEvent('turn-start', { ...base, turn })),
    sampleEvent('run-end', base),
  ]
  return events.map((event, index) => ({ ...event, time: 1000 + index, seq: index + 1 }))
}
