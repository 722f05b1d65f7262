import { createResumeState, randomId, type IdleSpan } from '@troupe/core'
import {
  isJsonObject,
  type Clock,
  type Json,
  type RunEvent,
  type RunOptions,
  type RunReport,
} from '@troupe/schema'
import type { ResumeState, RunStore, RunTreeLog } from '@troupe/schema/ports'
import { denyExpired } from '../approvals/store-decision.ts'
import { withHistory } from '../conversations/stored-conversations.ts'
import { findAgent } from '../plan/find-agent.ts'
import type { TeamSnapshot } from '../snapshot/team-snapshot.ts'
import { useTeam } from '../snapshot/team-snapshots.ts'
import { executeRootRun } from './execute-root-run.ts'
import type { RunsContext } from './runs-context.ts'
import { readStoredRun, refuseChanges, storedChanges, storedReport } from './stored-run.ts'

/** Options of `Host.resume`. */
export interface ResumeOptions extends Pick<
  RunOptions,
  | 'signal'
  | 'onEvent'
  | 'deltas'
  | 'approve'
  | 'ask'
  | 'wait'
  | 'resumable'
  | 'timeout'
  | 'budget'
  | 'spendingLimit'
> {
  /** True to resume with cards that have changed since. Default: such a run is refused. */
  readonly acceptChanges?: boolean
}

/**
 * Resumes an interrupted run. It runs again from its first turn and uses the stored result of each step. A
 * run that was accepted and has not started is started. For a run that has ended, emits its events and
 * returns its report again. Rejects with `store_locked` while any process, including this one, runs it.
 */
export async function resumeRun(
  runId: string,
  { acceptChanges = false, ...options }: ResumeOptions,
  context: RunsContext,
): Promise<RunReport> {
  const { team, clock } = context
  const store = context.requireStore()
  const changes = await storedChanges(store, runId, team.current.redactor)
  const resume = async (snapshot: TeamSnapshot): Promise<RunReport> => {
    const { loaded, redactor } = snapshot
    const stored = await readStoredRun(store, runId, redactor)
    if (stored.end !== undefined) {
      for (const event of stored.events) options.onEvent?.(event)
      return storedReport(stored, stored.end)
    }
    const { definition } = findAgent(loaded, stored.request.agent.name).member
    if (!acceptChanges) refuseChanges(stored, loaded.catalogue)
    const { name, digest } = definition
    const request = {
      ...(await withHistory(stored.request, { store, redactor })),
      agent: { name, digest },
    }
    return context.live.start(runId, async (handle) => {
      // A separate owner id, so that another run of this host cannot share the log.
      const log = await store.open(runId, randomId(context.owner))
      const past = await readPast(store, log, { runId, clock }).catch(async (error: unknown) => {
        await log.close()
        throw error
      })
      const root = { team: snapshot, definition, request, options, log }
      return executeRootRun(past === undefined ? root : { ...root, past }, handle, context)
    })
  }
  return useTeam(team, resume, changes)
}

/**
 * Reads the state of a run from its log, and stores the time span in which no process ran it. Returns
 * `undefined` for a run that has not started.
 */
async function readPast(
  store: RunStore,
  log: RunTreeLog,
  { runId, clock }: { readonly runId: string; readonly clock: Clock },
): Promise<ResumeState | undefined> {
  const events = await readResumableEvents(store, log, { runId, now: clock.now() })
  if (events.length === 0) return undefined
  const idle = await recordIdle(log, events, { runId, now: clock.now() })
  return createResumeState({ events, steps: async (id) => log.steps(id), idle, clock })
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
