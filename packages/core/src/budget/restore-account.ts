import type { Account, RunEvent, Spend, Usage } from '@troupe/schema'
import { ONE_TOOL_CALL } from '../calls/one-tool-call.ts'
import { problemIn } from '../session/problems.ts'
import type { Run } from '../session/run.ts'

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
