import {
  eventHead,
  failure,
  type EventPayloads,
  type Failure,
  type Json,
  type RootPast,
} from '@troupe/schema'
import { createAccount } from '../budget/account.ts'
import { addEvents } from '../budget/restore-account.ts'
import type { Run } from '../session/run.ts'
import { cancelledBy } from '../time/stop.ts'
import { timeSince } from '../time/run-time.ts'

/**
 * Appends the end of runs that did not continue when their root run was resumed: their callers had abandoned
 * them, or the root run ended first. Call it when the root run ends. `rootFailure` is the reason that it did
 * not complete.
 */
export function endAbandoned({ root }: Pick<Run, 'root'>, rootFailure: Failure | undefined): void {
  const { past, log, clock } = root
  if (past === undefined) return
  for (const start of past.abandoned()) {
    const reason = rootFailure === undefined || isGivenUp(start, past) ? GIVEN_UP : cancelledBy(rootFailure)
    const payload = endOf(start, reason, root)
    log.write({
      runId: start.runId,
      event: { ...eventHead(start, 'run-end', clock.now()), ...payload },
      step: { key: 'end', value: payload as unknown as Json },
    })
  }
}

type RunStart = ReturnType<RootPast['abandoned']>[number]

const GIVEN_UP = failure(
  'run_cancelled',
  'Its caller had given it up, and its process ended before the run did.',
)

/** Returns true if the caller of the run continued without it: the call has a result. */
function isGivenUp({ parentRunId, callId }: RunStart, past: RootPast): boolean {
  if (parentRunId === undefined) return false
  return past
    .eventsBelow(parentRunId)
    .some((event) => event.type === 'tool-result' && event.runId === parentRunId && event.callId === callId)
}

function endOf({ runId }: RunStart, reason: Failure, root: Run['root']): EventPayloads['run-end'] {
  const account = createAccount()
  addEvents(account, root.past?.eventsBelow(runId) ?? [], new Set())
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
    activeMs: root.past?.timeBefore(runId)?.activeMs ?? 0,
  }
}
