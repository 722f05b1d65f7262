import {
  eventEnvelope,
  failure,
  type EventPayloads,
  type Failure,
  type Json,
  type ResumeState,
} from '@troupe/schema'
import { createAccount } from '../budget/account.ts'
import { addEvents } from '../budget/restore-account.ts'
import type { Run } from '../session/run.ts'
import { cancelledBy } from '../time/cancellation.ts'
import { timeSince } from '../time/run-time.ts'

/**
 * Appends the end of runs that did not continue when their root run was resumed: their callers had abandoned
 * them, or the root run ended first. Call it when the root run ends. `rootFailure` is the reason that it did
 * not complete.
 */
export function endAbandoned({ root }: Pick<Run, 'root'>, rootFailure: Failure | undefined): void {
  const { resumeState, log, clock } = root
  if (resumeState === undefined) return
  for (const start of resumeState.abandonedRunStarts()) {
    const reason =
      rootFailure === undefined || isAbandonedByCaller(start, resumeState)
        ? ABANDONED
        : cancelledBy(rootFailure)
    const payload = endOf(start, reason, root)
    log.append({
      runId: start.runId,
      event: { ...eventEnvelope(start, 'run-end', clock.now()), ...payload },
      step: { key: 'end', value: payload as unknown as Json },
    })
  }
}

type RunStartEvent = ReturnType<ResumeState['abandonedRunStarts']>[number]

const ABANDONED = failure(
  'run_cancelled',
  'Its caller had given it up, and its process ended before the run did.',
)

/** Returns true if the caller of the run continued without it: the call has a result. */
function isAbandonedByCaller({ parentRunId, callId }: RunStartEvent, past: ResumeState): boolean {
  if (parentRunId === undefined) return false
  return past
    .eventsBelow(parentRunId)
    .some((event) => event.type === 'tool-result' && event.runId === parentRunId && event.callId === callId)
}

function endOf({ runId }: RunStartEvent, reason: Failure, root: Run['root']): EventPayloads['run-end'] {
  const account = createAccount()
  addEvents(account, root.resumeState?.eventsBelow(runId) ?? [], new Set())
  const { durationMs } = timeSince(root, runId, 0)
  return {
    outcome: 'cancelled',
    output: { format: 'text' },
    usage: account.total(),
    byAgent: account.byAgent(),
    unpriced: account.unpriced(),
    error: reason,
    ...account.problems(),
    durationMs,
    // the run did not continue after the resume
    activeMs: root.resumeState?.timeBefore(runId)?.activeMs ?? 0,
  }
}
