import {
  failure,
  type RunEvent,
  type RunProblem,
  type EventPayloads,
  type Failure,
  type Json,
} from '@troupe/schema'
import {
  eventEnvelope,
  problemMessage,
  problemOf,
  type Account,
  type ResumeState,
} from '@troupe/schema/ports'
import { ONE_TOOL_CALL, createAccount } from '../run/account.ts'
import { oncePerChild } from './problems.ts'
import type { LoggedRun } from './run-log.ts'
import type { Run } from '../run/run.ts'
import { cancelledBy } from '../run/cancellation.ts'
import { timeSince } from './resume-state.ts'

/**
 * Restores the usage of a resumed run and its descendants from their stored events. A parent restores its
 * whole subtree before a child starts, so only a root run forwards it to its parent account.
 */
export function restoreAccount({ request, root, account, log }: LoggedRun): void {
  if (log.journal === undefined || root.resumeState === undefined) return
  const target = request.parentRunId === undefined ? account : account.own
  addEvents(target, root.resumeState.eventsBelow(request.runId), log.reportedChildren)
}

/** Adds the usage and problems of stored events. `reported` collects children that are already listed. */
function addEvents(account: Account, events: readonly RunEvent[], reported: Set<string>): void {
  for (const event of events) {
    if (event.type === 'usage')
      account.add(event.agent, event.tokens, event.cost === null ? event.model : undefined)
    if (event.type === 'tool-result') account.add(event.agent, ONE_TOOL_CALL)
    const problem = problemIn(event, reported)
    if (problem !== undefined) account.addProblem(problem)
  }
}

/** Returns the number of problems that a resumed run takes over from its stored events, with those of runs below it. */
export function countProblems(events: readonly RunEvent[]): number {
  const reported = new Set<string>()
  return events.filter((event) => problemIn(event, reported) !== undefined).length
}

/**
 * Returns the problem in a stored event. Adds the child of the event to `reported`, and returns `undefined`
 * if it is already there.
 */
function problemIn(event: RunEvent, reported: Set<string>): RunProblem | undefined {
  const { runId, agent, instance } = event
  switch (event.type) {
    case 'run-end':
      return oncePerChild(
        problemOf({ runId, agent, instance }, { outcome: event.outcome, failure: event.error }),
        runId,
        reported,
      )
    case 'tool-result':
      return oncePerChild(
        problemOf(
          { runId, agent, instance, tool: event.toolName },
          { outcome: event.outcome, failure: event.error },
        ),
        event.childRunId,
        reported,
      )
    case 'warning':
      return event.weakens === true
        ? { runId, agent, instance, code: event.code, message: problemMessage(event.message) }
        : undefined
    default:
      return undefined
  }
}

/**
 * Appends the end of runs that did not continue when their root run was resumed: their callers had abandoned
 * them, or the root run ended first. Call it when the root run ends. `rootFailure` is the reason that it did
 * not complete.
 */
export function endAbandoned({ root }: Run, rootFailure: Failure | undefined): void {
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
  'The caller had abandoned the run, and its process exited before the run ended.',
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
