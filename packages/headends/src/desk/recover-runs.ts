import { toFailure, type StoredRoot } from '@troupe/schema'
import type { DeskContext } from './desk-context.ts'
import { isDetached } from './detached.ts'
import { goOn } from './go-on.ts'
import { readRequest, type KeptRequest } from './kept-request.ts'
import { readSummary } from './run-summary.ts'

/** How long another process keeps the lease of a run without a sign of life, and some more, in ms. */
const LEASE_CHECK_MS = 31_000

/**
 * Resumes the runs of a desk that were interrupted when their process ended. A run that another process still has the lease of is looked at again
 * when that lease may have run out, for as long as somebody has it. Resolves with how many runs were resumed at once.
 */
export async function recoverRuns(context: DeskContext): Promise<number> {
  const roots = await context.store.roots()
  watchLeases(
    roots.filter(({ open }) => open).map(({ rootRunId }) => rootRunId),
    context,
  )
  return resumeInterrupted(roots, context)
}

/** Looks again at runs that were open elsewhere, until they have ended or were resumed. */
function watchLeases(runIds: readonly string[], context: DeskContext): void {
  if (runIds.length === 0 || context.isDraining) return
  const wanted = new Set(runIds)
  context.stopRecovery = context.clock.after(LEASE_CHECK_MS, () => {
    const look = async (): Promise<void> => {
      const roots = (await context.store.roots()).filter(({ rootRunId }) => wanted.has(rootRunId))
      watchLeases(
        roots.filter(({ open }) => open).map(({ rootRunId }) => rootRunId),
        context,
      )
      await resumeInterrupted(roots, context)
    }
    look().catch((thrown: unknown) => context.onError?.(thrown))
  })
}

async function resumeInterrupted(roots: readonly StoredRoot[], context: DeskContext): Promise<number> {
  const { store, runner } = context
  let count = 0
  for (const root of roots) {
    if (root.open || (await readSummary(store, root))?.state !== 'interrupted') continue
    const kept = await readRequest(store, root.rootRunId).catch(nothingOfDamaged)
    if (kept === undefined || !isDetached(kept) || !isServed(kept, runner)) continue
    goOn({ runId: root.rootRunId, principal: kept.principal }, context)
    count += 1
  }
  return count
}

/** What cannot be read cannot go on, and is no reason for others not to. */
function nothingOfDamaged(thrown: unknown): undefined {
  if (toFailure(thrown).code !== 'store_corrupt') throw thrown
}

/** The agent is served, and is what it was; whether it is where the run changed its team only the host can say. */
function isServed({ agent, team }: KeptRequest, runner: DeskContext['runner']): boolean {
  return runner
    .agents()
    .some(({ name, digest }) => name === agent.name && (team !== undefined || digest === agent.digest))
}
