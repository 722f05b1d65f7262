import { createResumeState, type IdleSpan } from '@troupe/core'
import { isJsonObject, type Clock, type Json, type RunEvent } from '@troupe/schema'
import type { ResumeState, RunTreeLog } from '@troupe/schema/ports'
import { denyExpired } from '../approvals/store-decision.ts'

/**
 * Reads the state of a run from its log, and stores the time span in which no process ran it. Approvals that
 * have expired are denied first. Returns `undefined` for a run that has not started.
 */
export async function readResumeState(
  log: RunTreeLog,
  {
    runId,
    clock,
    readEvents,
  }: {
    readonly runId: string
    readonly clock: Clock
    /** Returns the stored events of the run and the runs below it. */
    readonly readEvents: () => Promise<readonly RunEvent[]>
  },
): Promise<ResumeState | undefined> {
  const now = clock.now()
  let events = await readEvents()
  if (await denyExpired(log, events, now)) {
    await log.waitForCommit()
    events = await readEvents()
  }
  if (events.length === 0) return undefined
  const idle = await recordIdle(log, events, { runId, now })
  return createResumeState({ events, steps: async (id) => log.steps(id), idle, clock })
}

const RESUME = 'resume:'

/** Stores the time span in which no process ran the run. Returns it with the spans of earlier resumes. */
async function recordIdle(
  log: RunTreeLog,
  events: readonly RunEvent[],
  { runId, now }: { readonly runId: string; readonly now: number },
): Promise<readonly IdleSpan[]> {
  const steps = await log.steps(runId)
  const earlier = Array.from(steps).flatMap(([key, value]) => (key.startsWith(RESUME) ? toSpan(value) : []))
  const span = { from: events.at(-1)?.time ?? now, to: now }
  if (log.isPersistent)
    log.append({ runId, step: { key: `${RESUME}${earlier.length + 1}`, value: { ...span } } })
  return [...earlier, span]
}

function toSpan(value: Json): IdleSpan | readonly [] {
  if (!isJsonObject(value)) return []
  const { from, to } = value
  return typeof from === 'number' && typeof to === 'number' ? { from, to } : []
}
