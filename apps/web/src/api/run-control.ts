import type { ApprovalDecision, Budget, JsonObject } from '@troupe/schema'
import { request, type Answer } from './request.ts'

/** How a run is begun. */
export interface RunStart {
  readonly agent: string
  readonly input: string | JsonObject
  /** The conversation that goes on. */
  readonly session?: string | undefined
  readonly budget?: Budget | undefined
  /** One of those that are configured, asked by every agent in place of its own. */
  readonly model?: string | undefined
  /** In ms. */
  readonly timeout?: number | undefined
}

/** A run that has begun. */
export interface StartedRun {
  readonly runId: string
}

/** Begins a run that goes on by itself, whether anybody watches it or not. */
export function startRun(start: RunStart): Promise<Answer<StartedRun>> {
  return request('api/runs', { method: 'POST', body: start })
}

/** Stops a run and everything below it. */
export function stopRun(runId: string): Promise<Answer<unknown>> {
  return request(`api/runs/${encodeURIComponent(runId)}/stop`, { method: 'POST', body: {} })
}

/** Runs the same again: the agent and what it was told, in a new run. */
export function retryRun(runId: string): Promise<Answer<StartedRun>> {
  return request(`api/runs/${encodeURIComponent(runId)}/retry`, { method: 'POST', body: {} })
}

/** Goes on from a turn of a run as a new run. */
export function forkRun(
  runId: string,
  fork: {
    readonly at: string
    readonly acceptChanges: boolean
    /** In place of those of the cards, by agent. */
    readonly prompts: Readonly<Record<string, string>>
  },
): Promise<Answer<StartedRun>> {
  return request(`api/runs/${encodeURIComponent(runId)}/fork`, { method: 'POST', body: fork })
}

/** Decides on a call that waits for a person. */
export function decideApproval(
  runId: string,
  { approvalId, decision }: { readonly approvalId: string; readonly decision: ApprovalDecision },
): Promise<Answer<unknown>> {
  return request(`api/runs/${encodeURIComponent(runId)}/approvals/${encodeURIComponent(approvalId)}`, {
    method: 'POST',
    body: decision,
  })
}
