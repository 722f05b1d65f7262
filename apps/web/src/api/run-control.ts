import type { ApprovalDecision, Budget, JsonObject } from '@troupe/schema'
import { request, type RequestResult } from './request.ts'

/** The parameters of a new run. */
export interface RunStartRequest {
  readonly agent: string
  readonly input: string | JsonObject
  /** The conversation to continue. */
  readonly session?: string | undefined
  readonly budget?: Budget | undefined
  /** A configured model that every agent uses in place of its own. */
  readonly model?: string | undefined
  /** In ms. */
  readonly timeout?: number | undefined
}

/** A run that was started. */
export interface StartedRunResponse {
  readonly runId: string
}

/** Starts a run. It continues even if the page is closed. */
export function startRun(start: RunStartRequest): Promise<RequestResult<StartedRunResponse>> {
  return request('api/runs', { method: 'POST', body: start })
}

/** Stops a run and all its child runs. */
export function stopRun(runId: string): Promise<RequestResult<unknown>> {
  return request(`api/runs/${encodeURIComponent(runId)}/stop`, { method: 'POST', body: {} })
}

/** Starts a new run with the same agent and input. */
export function retryRun(runId: string): Promise<RequestResult<StartedRunResponse>> {
  return request(`api/runs/${encodeURIComponent(runId)}/retry`, { method: 'POST', body: {} })
}

/** Starts a new run that branches off from a turn of a run. */
export function forkRun(
  runId: string,
  fork: {
    readonly at: string
    readonly acceptChanges: boolean
    /** Prompts by agent, in place of those of the cards. */
    readonly prompts: Readonly<Record<string, string>>
  },
): Promise<RequestResult<StartedRunResponse>> {
  return request(`api/runs/${encodeURIComponent(runId)}/fork`, { method: 'POST', body: fork })
}

/** Sends the decision on a call that waits for approval. */
export function decideApproval(
  runId: string,
  { approvalId, decision }: { readonly approvalId: string; readonly decision: ApprovalDecision },
): Promise<RequestResult<unknown>> {
  return request(`api/runs/${encodeURIComponent(runId)}/approvals/${encodeURIComponent(approvalId)}`, {
    method: 'POST',
    body: decision,
  })
}
