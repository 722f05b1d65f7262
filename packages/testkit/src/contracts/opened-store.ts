import type { Json, RunEvent } from '@troupe/schema'
import type { LogEntry, RunStore, RunTreeLog } from '@troupe/schema/ports'
import { sampleEvent } from '../events/sample-event.ts'

/** Store of the current test. Its root run `root` is open and owned by `owner`. */
export interface OpenedStore {
  readonly store: RunStore
  readonly log: RunTreeLog
}

/** Returns a log entry with an event of the run `run`. */
export function eventEntry(type: 'turn-start' | 'turn-end' | 'usage' | 'budget' | 'run-end'): LogEntry {
  return { runId: 'run', event: sampleEvent(type) }
}

/** Returns a log entry with a step of the run `run`. */
export function stepEntry(key: string, value: Json): LogEntry {
  return { runId: 'run', step: { key, value } }
}

/** Returns the steps of a run as an object. */
export async function stepsOf(log: RunTreeLog, runId: string): Promise<Record<string, Json>> {
  return Object.fromEntries(await log.steps(runId))
}

/** Waits until all entries written so far are delivered to the listeners. */
export async function flushed(log: RunTreeLog): Promise<void> {
  for (let pending = log.waitForCommit(); pending !== undefined; pending = log.waitForCommit()) await pending
  await new Promise((resolve) => setImmediate(resolve))
}

/** Returns type and sequence number of an event as text. */
export function eventPosition(event: RunEvent): string {
  return event.seq === undefined ? `${event.type} after ${event.after}` : `${event.type} ${event.seq}`
}

/** Returns the integers from `from` to `to`, inclusive. */
export function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}
