import { createPast, randomId, type IdleSpan, type PastParts, type Cancellation } from '@troupe/core'
import {
  isJsonObject,
  type Json,
  type RunTreeLog,
  type RunEvent,
  type RunReport,
  type RunStore,
} from '@troupe/schema'
import { denyExpired } from '../approval/store-decision.ts'
import type { StoredRootRun } from './root-run.ts'
import type { RootRunsContext } from './root-runs-context.ts'
import { executeRootRun } from './execute-root-run.ts'

/**
 * Resumes a root run. It runs again from its first turn and uses the stored result of each step. Rejects with
 * `store_locked` while any process, including this one, runs it.
 */
export async function resumeRootRun(
  run: StoredRootRun,
  context: RootRunsContext,
  stop: Cancellation,
): Promise<RunReport> {
  const { store, request } = run
  const { clock, owner } = context
  // A separate owner id, so that another run of this host cannot share the log.
  const log = await store.open(request.runId, randomId(owner))
  const events = await readResumableEvents(store, log, { ...request, now: clock.now() })
  const idle = await recordIdle(log, events, { ...request, now: clock.now() })
  return continueRootRun({ ...run, log, events, idle }, context, stop)
}

/** Runs a root run from its first turn on an open log. Stored steps are not repeated. */
export function continueRootRun(
  {
    log,
    events,
    idle,
    ...run
  }: StoredRootRun & Pick<PastParts, 'events' | 'idle'> & { readonly log: RunTreeLog },
  context: RootRunsContext,
  stop: Cancellation,
): Promise<RunReport> {
  const past = createPast({ events, steps: (runId) => log.steps(runId), idle, clock: context.clock })
  return executeRootRun({ ...run, log, past }, context, stop)
}

const RESUME = 'resume:'

/**
 * Stores the time span in which no process ran the root run. Returns it with the spans of earlier resumes.
 */
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

/** Returns the stored events, after denying calls whose approval has expired. */
async function readResumableEvents(
  store: RunStore,
  log: RunTreeLog,
  { runId, now }: { readonly runId: string; readonly now: number },
): Promise<readonly RunEvent[]> {
  const events = await store.events(runId)
  if (!(await denyExpired(log, events, now))) return events
  await log.waitForCommit()
  return store.events(runId)
}
