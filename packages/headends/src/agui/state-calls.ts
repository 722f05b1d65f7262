import { failure, TroupeError, type ApprovalDecision } from '@troupe/schema'
import type { AguiEvent } from './create-event-mapper.ts'
import { findStored, type AguiContext, type AguiRun } from './open-agui-run.ts'

/** The changes of the state in one step of a run. */
interface ExecutedStateCalls {
  readonly events: readonly AguiEvent[]
  /** The run if it continues; `undefined` if it still waits for its client. */
  readonly next: AguiRun | undefined
}

/**
 * Executes the calls of a waiting run that change the state, in the order of the model. The run continues unless
 * it also waits for its client. Throws if their results cannot be passed to the run.
 */
export async function executeStateCalls(run: AguiRun, aguiContext: AguiContext): Promise<ExecutedStateCalls> {
  const { runId, mapper, stateCalls, sharedState, clientCalls } = run
  if (stateCalls.size === 0) return { events: [], next: undefined }
  const events: AguiEvent[] = []
  const decisions = new Map<string, ApprovalDecision>()
  for (const [approvalId, args] of [...stateCalls].toSorted(byPosition)) {
    const changed = sharedState.change(args)
    events.push(...changed.events)
    decisions.set(approvalId, changed.decision)
  }
  stateCalls.clear()
  const waitsForClient = [...clientCalls.values()].includes(false)
  if (run.isOver() && !waitsForClient) {
    const stored = await findStored(runId, aguiContext)
    if (stored === undefined)
      throw new TroupeError(failure('run_not_resumable', `The run ${runId} no longer waits for its client.`))
    return { events, next: { ...(await stored.resume(decisions)), mapper, sharedState } }
  }
  for (const [approvalId, decision] of decisions)
    await aguiContext.runService.clientCalls.decide(runId, { approvalId, decision })
  return { events, next: waitsForClient ? undefined : run }
}

function byPosition([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one.localeCompare(other, 'en', { numeric: true })
}
