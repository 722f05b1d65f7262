import { toFailure } from '@troupe/schema'
import { LEASE_MS, type RootRunFilter, type RootRunRecord } from '@troupe/schema/ports'
import { type RunRef, isDetached, readRequest, type StoredRunRequest, readLimits } from './stored-run.ts'
import { launchRun } from './start-run.ts'
import type { RunServiceContext } from './run-service-context.ts'
import { readSummary, type RunState } from './run-view.ts'

/**
 * Interval at which runs of other processes are checked, in ms. A lease that was not renewed has expired by
 * then.
 */
const LEASE_CHECK_MS = LEASE_MS + 1000

/**
 * Resumes the runs of a run service that were interrupted or queued when their process ended. A run that is open in
 * another process is checked at an interval until it has ended or was resumed. Resolves with the number of
 * runs resumed at once.
 */
export async function recoverRuns(context: RunServiceContext): Promise<number> {
  const roots = await context.store.roots()
  watchLeases(roots, context)
  return resumeInterrupted(roots, context)
}

/**
 * Checks the root runs that other processes have open at an interval, until they have ended or were resumed.
 */
function watchLeases(roots: readonly RootRunRecord[], context: RunServiceContext): void {
  // A root run without a session was not started by a run service.
  const watched = roots.flatMap(({ open, rootRunId, session }): readonly RootRunFilter[] =>
    open && session !== undefined ? [{ principal: session.principal, rootRunId }] : [],
  )
  if (watched.length === 0 || context.isDraining) return
  context.stopRecovery = context.clock.after(LEASE_CHECK_MS, () => {
    const check = async (): Promise<void> => {
      const found = await Promise.all(watched.map(async (filter) => context.store.roots(filter)))
      const current = found.flat()
      watchLeases(current, context)
      await resumeInterrupted(current, context)
    }
    check().catch((thrown: unknown) => context.onError?.(thrown))
  })
}

async function resumeInterrupted(
  roots: readonly RootRunRecord[],
  context: RunServiceContext,
): Promise<number> {
  const { store, runner } = context
  let count = 0
  for (const root of roots) {
    const state = root.open ? undefined : (await readSummary(context, root))?.state
    if (state !== 'interrupted' && state !== 'queued') continue
    const request = await readRequest(store, root.rootRunId).catch(ignoreDamaged)
    if (request === undefined || !isDetached(request) || !isServed(request, state, runner)) continue
    context.onRecover?.(root.rootRunId)
    resumeRun({ runId: root.rootRunId, principal: request.principal }, context)
    count += 1
  }
  return count
}

/** Ignores a damaged run, so that the others can still be resumed. */
function ignoreDamaged(thrown: unknown): undefined {
  if (toFailure(thrown).code !== 'store_corrupt') throw thrown
}

/**
 * Returns true if the agent is served, and unchanged if the run has started. If the run changed its team, only
 * the host can compare it.
 */
function isServed(
  { agent, team }: StoredRunRequest,
  state: RunState,
  runner: RunServiceContext['runner'],
): boolean {
  const mayDiffer = team !== undefined || state === 'queued'
  return runner
    .agents()
    .some(({ name, digest }) => name === agent.name && (mayDiffer || digest === agent.digest))
}

/** Resumes a suspended run with its original limits, unless it is active or the process is shutting down. */
export function resumeRun({ runId, principal }: RunRef, context: RunServiceContext): void {
  const { host, live, store, onError } = context
  if (live.has(runId) || context.isDraining) return
  const { done } = launchRun(
    {
      runId,
      principal,
      async execute(options) {
        const { note, priority } = (await readRequest(store, runId)) ?? {}
        return host.resume(runId, { ...options, principal, priority, ...readLimits(note) })
      },
    },
    context,
  )
  done.catch((thrown: unknown) => {
    // A run that is still queued when the process ends stays in the store, and the next process resumes it.
    if (!context.isDraining || toFailure(thrown).code !== 'server_busy') onError?.(thrown)
  })
}
