import {
  eventEnvelope,
  failure,
  type Account,
  type RunEvent,
  type Spend,
  type Usage,
  type EventPayloads,
  type Failure,
  type Json,
  type ResumeState,
} from '@troupe/schema'
import { ONE_TOOL_CALL, createAccount } from '../run/account.ts'
import { problemIn } from './problems.ts'
import type { Run } from '../run/run.ts'
import { cancelledBy } from '../run/cancellation.ts'
import { timeSince } from './resume-state.ts'

/**
 * Restores the usage of a resumed run and its descendants from their stored events. A parent restores its
 * whole subtree before a child starts, so only a root run forwards it to the account above.
 */
export function restoreAccount(run: Run): void {
  const { request, root, account } = run
  if (run.journal === undefined || root.resumeState === undefined) return
  run.reportedChildren = new Set()
  const target = request.parentRunId === undefined ? account : account.own
  addEvents(target, root.resumeState.eventsBelow(request.runId), run.reportedChildren)
}

/** Adds the usage and problems of stored events. `reported` collects children that are already listed. */
export function addEvents(account: Account, events: readonly RunEvent[], reported: Set<string>): void {
  for (const event of events) {
    if (event.type === 'usage')
      account.add(event.agent, event.tokens, event.cost === null ? event.model : undefined)
    if (event.type === 'tool-result') account.add(event.agent, ONE_TOOL_CALL)
    const problem = problemIn(event, reported)
    if (problem !== undefined) account.addProblem(problem)
  }
}

/** Returns the part of a usage that counts against a budget. */
export function toSpend({ input, output, micros }: Usage): Spend {
  return { tokens: input + output, micros }
}

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
